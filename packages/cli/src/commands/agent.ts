// `signalbox agent`: our agent on stdio. stdout carries ACP and nothing else.
import { modeIds, providerNames, runAgent } from "@signalbox/agent";
import { command, exitCodes } from "../command.ts";

export const agent = command({
  usage: "signalbox agent [flags]",
  about:
    "Speaks the Agent Client Protocol on stdin and stdout, for Signalbox or any editor that can start an ACP agent. docs/agent.md tells more.",
  flags: {
    provider: {
      type: "string",
      value: "NAME",
      choices: providerNames,
      help: `where the answers come from: ${providerNames.join(", ")} (default: as config.json says, else demo)`,
    },
    model: { type: "string", value: "NAME", help: "the model to ask, for everything" },
    "base-url": { type: "string", value: "URL", help: "the full prefix of the provider's API" },
    mode: {
      type: "string",
      value: "MODE",
      choices: modeIds,
      help: "how far it may go: sandbox, rx, rwx or plan (default: as config.json says, else sandbox)",
    },
    config: { type: "string", value: "FILE", help: "read this in place of the user's config.json" },
  },
  examples: [
    ["signalbox agent --provider anthropic --mode rx", "for an editor: reads and runs, writes nothing in the project"],
    ["signalbox agent --provider ollama --model qwen3", "a model on this machine"],
    ['signalbox run --agent signalbox "What is this?"', "the same agent for one prompt, without an editor"],
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
    // Idle connections to a provider would keep the process for seconds.
    process.exit(exitCodes.ok);
  },
});
