// `signalbox agent`: our agent on stdio. stdout carries ACP and nothing else.
import { providerNames, runAgent } from "@signalbox/agent";
import { command, exitCodes } from "../command.ts";

export const agent = command({
  usage: "signalbox agent [flags]",
  about:
    "Speaks the Agent Client Protocol on stdin and stdout, for Signalbox or any editor that can start an ACP agent.",
  flags: {
    provider: {
      type: "string",
      value: "NAME",
      choices: providerNames,
      help: "where the answers come from (default demo)",
    },
  },
  async run(flags, { version }) {
    const provider = providerNames.find((name) => name === flags.provider) ?? "demo";
    await runAgent({ version, provider });
    return exitCodes.ok;
  },
});
