// Runs commands in terminals of the client. Every terminal is released when its command has ended, whatever ended it.
import { messageOf, readTerminalDenials, untilAborted } from "@signalbox/tool-calls";
import type { ClientTerminal, ClientTerminals, TerminalExit, TerminalOutput } from "../client/client-terminals.ts";
import { ToolFailure } from "../tool-failure.ts";
import type { CommandEnd, CommandEnding, StartCommand } from "./command.ts";

const outputByteLimit = 4 * 1024 * 1024;
/** A client that does not answer must not hold up a turn, or a session that ends. */
const clientTimeoutMs = 1000;

export function terminalCommands(terminals: ClientTerminals): StartCommand {
  return async ({ command, cwd, signal, timeoutMs, escalation }) => {
    signal.throwIfAborted();
    const creating = terminals.create({
      command,
      cwd,
      outputByteLimit,
      ...(escalation !== undefined && { escalation }),
    });
    try {
      const terminal = await untilAborted(creating, signal);
      return { terminal, ended: awaitEnd(terminal, signal, timeoutMs) };
    } catch (error) {
      // The answer may still come, with a terminal that is not wanted any more.
      creating.then((terminal) => terminal.release()).catch(() => {});
      signal.throwIfAborted();
      throw new ToolFailure(`The command was not run: ${messageOf(error)}`);
    }
  };
}

async function awaitEnd(terminal: ClientTerminal, signal: AbortSignal, timeoutMs?: number): Promise<CommandEnd> {
  const { ending, exit } = await awaitExit(terminal, signal, timeoutMs);
  const { output, truncated } = await readOutput(terminal);
  await answerInTime(terminal.release());
  const { denied = [], network = false } = (exit && readTerminalDenials(exit)) ?? {};
  return { output, isTruncated: truncated, ending, denied, networkDenied: network };
}

interface ExitReport {
  readonly ending: CommandEnding;
  /** The client's report of the end. */
  readonly exit?: TerminalExit;
}

async function awaitExit(terminal: ClientTerminal, signal: AbortSignal, timeoutMs?: number): Promise<ExitReport> {
  const timeout = timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs);
  const stop = timeout === undefined ? signal : AbortSignal.any([signal, timeout]);
  try {
    const exit = await untilAborted(terminal.waitForExit(), stop);
    return { ending: exitEnding(exit), exit };
  } catch (error) {
    if (!stop.aborted) return { ending: { ended: "unknown", reason: messageOf(error) } };
    await answerInTime(terminal.kill());
    const isCancelled = timeoutMs === undefined || signal.aborted;
    return { ending: isCancelled ? { ended: "cancelled" } : { ended: "timeout", timeout: timeoutMs } };
  }
}

function exitEnding({ exitCode, signal }: TerminalExit): CommandEnding {
  return typeof signal === "string" ? { ended: "signal", signal } : { ended: "exit", exitCode: exitCode ?? 0 };
}

/** Reads the terminal's output, as far as the client reports it. */
export async function readOutput(terminal: ClientTerminal): Promise<TerminalOutput> {
  return (
    (await answerInTime(terminal.output())) ?? { output: "[The client did not give the output.]", truncated: false }
  );
}

/** Undefined when the client refuses, or does not answer in time. */
async function answerInTime<T>(answer: Promise<T>): Promise<T | undefined> {
  const { promise: over, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => resolve(undefined), clientTimeoutMs);
  try {
    return await Promise.race([answer.catch(() => undefined), over]);
  } finally {
    clearTimeout(timer);
  }
}
