// Commands in the client's terminal, where the user chose that: the person sees and may stop them there. No sandbox of ours is around them.
import { terminalContent } from "@signalbox/tool-calls";
import type { CommandEnd, CommandOutcome, RunCommand } from "./command.ts";

/** The client's terminals. Each method rejects when the client answers with an error. */
export interface ClientTerminals {
  create(request: TerminalRequest): Promise<ClientTerminal>;
}

export interface TerminalRequest {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly outputByteLimit: number;
}

export interface ClientTerminal {
  readonly id: string;
  output(): Promise<{ readonly output: string; readonly truncated: boolean }>;
  waitForExit(): Promise<{ readonly exitCode?: number | null; readonly signal?: string | null }>;
  kill(): Promise<unknown>;
  release(): Promise<unknown>;
}

const outputByteLimit = 1_000_000;
const clientPatience = 1000;

export function terminalCommands(terminals: ClientTerminals): RunCommand {
  return async ({ command, cwd, signal, onTerminal }) => {
    signal.throwIfAborted();
    let terminal: ClientTerminal;
    try {
      terminal = await terminals.create({ command: "/bin/sh", args: ["-c", command], cwd, outputByteLimit });
    } catch (error) {
      return ended("", { type: "refused", words: `the client made no terminal for it (${errorWords(error)})` });
    }
    try {
      onTerminal(terminalContent(terminal.id));
      const outcome = await outcomeOf(terminal, signal);
      return ended(await outputOf(terminal), outcome);
    } finally {
      // The client keeps showing what it has; a terminal that cannot be released is the client's to clean up.
      await soon(terminal.release());
    }
  };
}

async function outcomeOf(terminal: ClientTerminal, signal: AbortSignal): Promise<CommandOutcome> {
  const { promise: aborted, resolve: onAbort } = Promise.withResolvers<"aborted">();
  const listener = () => onAbort("aborted");
  signal.addEventListener("abort", listener, { once: true });
  if (signal.aborted) listener();
  try {
    const exit = await Promise.race([terminal.waitForExit(), aborted]);
    if (exit === "aborted") {
      await soon(terminal.kill());
      return { type: "aborted" };
    }
    if (typeof exit.signal === "string") return { type: "signal", signal: exit.signal };
    return { type: "exit", code: exit.exitCode ?? 0 };
  } finally {
    signal.removeEventListener("abort", listener);
  }
}

async function outputOf(terminal: ClientTerminal): Promise<string> {
  const answer = await soon(terminal.output());
  if (answer === undefined) return "[the client did not say what it printed]";
  return answer.truncated ? `[the beginning was dropped]\n${answer.output}` : answer.output;
}

/** The answer, or undefined where the client gives none, or not in time: a deaf client must not hold a session that ends. */
async function soon<T>(answer: Promise<T>): Promise<T | undefined> {
  const { promise: over, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => resolve(undefined), clientPatience);
  try {
    return await Promise.race([answer.catch(() => undefined), over]);
  } finally {
    clearTimeout(timer);
  }
}

function ended(output: string, outcome: CommandOutcome): CommandEnd {
  return { output, outcome, denied: [], networkDenied: false };
}

function errorWords(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
