// Decides where a command runs: in a terminal of the client, or in our own sandbox.
import {
  type ClientTerminals,
  type CommandEnd,
  hasSucceeded,
  type StartCommand,
  terminalCommands,
} from "@signalbox/agent-kit";
import { describeDenial, findDenials, mayHideFailure, type Policy } from "@signalbox/sandbox";
import type { TerminalSandbox } from "@signalbox/tool-calls";
import { sandboxCommands } from "./sandbox-command.ts";
import { policyByName, type SandboxOptions } from "./sandbox-options.ts";

/** Terminals that the client puts into a sandbox, which is the same as ours would be if `fits` says so. */
interface SandboxedTerminals {
  readonly terminals: ClientTerminals;
  readonly fits: (network: boolean) => boolean;
  /** The client understands that a command asks for more. */
  readonly escalates: boolean;
}

/** Whether the client's sandbox is what this session wants now. Less is not enough, and more would be in the way. */
export function isSameSandbox(promised: TerminalSandbox, mode: string, network: boolean): boolean {
  return promised.mode === mode && promised.network === network;
}

/** A terminal shows the output as it comes and the client keeps it, so it is taken where its sandbox is as good as ours. */
export function terminalOrSandbox(
  { terminals, fits, escalates }: SandboxedTerminals,
  sandbox: SandboxOptions,
): StartCommand {
  const inSandbox = sandboxCommands(sandbox);
  const inTerminal = terminalCommands(terminals);
  return async (request) => {
    const { escalation } = request;
    // A command without a sandbox needs no matching one.
    const isFit =
      escalation === undefined
        ? fits(request.network)
        : escalates && fits(escalation.to !== "outside" && request.network);
    if (!isFit) return await inSandbox(request);
    const running = await inTerminal(request);
    if (escalation !== undefined) return running;
    const policy = policyByName(sandbox.policy(request.network), sandbox.byName);
    return { ...running, ended: running.ended.then((end) => withDenials(end, policy, request)) };
  };
}

/** Adds denials that the output reveals, because not every client reports those of its sandbox. */
function withDenials(
  end: CommandEnd,
  policy: Policy,
  { command, cwd }: { readonly command: string; readonly cwd: string },
): CommandEnd {
  // The output of a successful command may quote a log, so it proves no denial; of a pipe, only the last part is known to have succeeded.
  if (hasSucceeded(end.ending) && !mayHideFailure(command)) return end;
  const denials = findDenials(end.output, policy, cwd);
  return {
    ...end,
    denied: [...new Set([...end.denied, ...denials.filter(({ what }) => what !== "network").map(describeDenial)])],
    networkDenied: end.networkDenied || denials.some(({ what }) => what === "network"),
  };
}
