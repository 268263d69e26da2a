// `signalbox agent` runs our own agent on stdio. stdout carries ACP and nothing else.
import { modeIds, providerChoices, runAgent } from "@signalbox/agent";
import { command, exitCodes } from "../command.ts";

export const agent = command({
  usage: "signalbox agent [flags]",
  about:
    "Runs Signalbox's own agent over the Agent Client Protocol on stdin and stdout, for any editor that can start an ACP agent. See docs/agent.md.",
  flags: {
    provider: {
      type: "string",
      value: "NAME",
      choices: providerChoices,
      help: `model provider: ${providerChoices.join(", ")} (default: from config.json, else by the key in the environment)`,
    },
    model: { type: "string", value: "NAME", help: "model to use" },
    "base-url": { type: "string", value: "URL", help: "base URL of the provider's API" },
    mode: {
      type: "string",
      value: "MODE",
      choices: modeIds,
      help: "sandbox, rx, rwx or plan (default: from config.json, else sandbox)",
    },
    config: { type: "string", value: "FILE", help: "use this file instead of the user's config.json" },
  },
  examples: [
    ["signalbox agent --provider anthropic --mode rx", "for an editor: it can read and run, but not change files"],
    ["signalbox agent --provider ollama --model qwen3", "a local model"],
    ['signalbox run --agent signalbox "What is this?"', "one prompt, without an editor"],
  ],
  async run(flags, { version }) {
    const mode = modeIds.find((id) => id === flags.mode);
    await runAgent({
      version,
      ...(flags.provider !== undefined && { provider: flags.provider }),
      ...(flags.model !== undefined && { model: flags.model }),
      ...(flags["base-url"] !== undefined && { baseUrl: flags["base-url"] }),
      ...(mode !== undefined && { mode }),
      ...(flags.config !== undefined && { configFile: flags.config }),
    });
    // Idle provider connections would keep the process alive for seconds.
    process.exit(exitCodes.ok);
  },
});
