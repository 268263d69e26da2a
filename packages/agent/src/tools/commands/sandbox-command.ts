// Runs commands in our sandbox, with the policy of the moment, and with the network only where it was permitted.
import { type CommandEnd, type StartCommand, ToolFailure } from "@signalbox/agent-kit";
import { describeDenial, runCommand, withMoreRights } from "@signalbox/sandbox";
import { launchOptions, type SandboxOptions } from "./sandbox-options.ts";

export function sandboxCommands(sandbox: SandboxOptions): StartCommand {
  return async ({ command, cwd, network, escalation, signal, timeoutMs, onOutput }) => {
    const usual = await launchOptions(sandbox, network, { command, commandFolder: cwd });
    const rights = escalation === undefined ? usual : withMoreRights(usual, escalation);
    if (typeof rights === "string") throw new ToolFailure(`The command was not run: ${rights}`);
    const options = rights === usual ? usual : { ...usual, ...rights, env: sandbox.env(rights) };
    const result = runCommand({
      ...options,
      command,
      cwd,
      signal,
      ...(timeoutMs !== undefined && { timeout: timeoutMs }),
      ...(onOutput !== undefined && { onOutput }),
    });
    return { ended: result.then(describeEnd) };
  };
}

function describeEnd(result: Awaited<ReturnType<typeof runCommand>>): CommandEnd {
  if (result.ended === "refused") {
    return { output: "", isTruncated: false, ending: result, denied: [], networkDenied: false };
  }
  return {
    output: result.output.text,
    isTruncated: false,
    ending: result,
    denied: result.denials.filter(({ what }) => what !== "network").map(describeDenial),
    networkDenied: result.denials.some(({ what }) => what === "network"),
  };
}
