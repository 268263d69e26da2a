// Commands in the client's terminals. One that is waited for is released when it is over, whatever ends it; one in the background when it has
// ended, or with the session.
import { terminalContent } from "@signalbox/tool-calls";
import { wordsOf } from "../errors/claude-error.ts";
import type { ClientTerminal, TerminalExit, TerminalRequest } from "./client-side.ts";
import { OutputReader, type TerminalOutput } from "./new-output.ts";
import { type CallInProgress, ToolFailure } from "./tool.ts";

const outputByteLimit = 1024 * 1024;
/** A client that does not answer must not hold a turn or a session that ends. */
const clientPatienceMs = 2000;

export type CommandEnd =
  | { readonly type: "exit"; readonly exit: TerminalExit; readonly printed: TerminalOutput }
  | { readonly type: "timeout" | "cancelled"; readonly printed: TerminalOutput };

export interface ShellState {
  readonly status: "running" | "stopped" | "exited";
  readonly exit: TerminalExit | null;
  readonly printed: TerminalOutput;
  readonly reader: OutputReader;
}

interface Shell {
  readonly terminal: ClientTerminal;
  readonly reader: OutputReader;
  /** What it printed, once it is over and released. */
  readonly over: Promise<void>;
  end: { readonly exit: TerminalExit | null; readonly printed: TerminalOutput } | null;
  isStopped: boolean;
}

export class Shells {
  readonly #create: (request: TerminalRequest) => Promise<ClientTerminal>;
  readonly #cwd: string;
  readonly #background = new Map<string, Shell>();
  #nextId = 1;

  constructor(create: (request: TerminalRequest) => Promise<ClientTerminal>, cwd: string) {
    this.#create = create;
    this.#cwd = cwd;
  }

  /** Waits for the command's end, at most so long. */
  async run(command: string, timeoutMs: number, call: CallInProgress): Promise<CommandEnd> {
    const terminal = await this.#open(command, call);
    const timeout = AbortSignal.timeout(timeoutMs);
    try {
      const exit = await untilAborted(terminal.waitForExit(), AbortSignal.any([call.signal, timeout]));
      if (exit !== "aborted") return { type: "exit", exit, printed: await printedBy(terminal) };
      await soon(terminal.kill());
      return { type: call.signal.aborted ? "cancelled" : "timeout", printed: await printedBy(terminal) };
    } finally {
      await soon(terminal.release());
    }
  }

  /** Starts a command that nobody waits for; gives the id to ask for it by. */
  async start(command: string, call: CallInProgress): Promise<string> {
    const terminal = await this.#open(command, call);
    const id = `shell_${this.#nextId++}`;
    const shell: Shell = {
      terminal,
      reader: new OutputReader(),
      end: null,
      isStopped: false,
      over: terminal.waitForExit().then(
        (exit) => this.#finish(shell, exit),
        () => this.#finish(shell, null),
      ),
    };
    this.#background.set(id, shell);
    return id;
  }

  async look(id: string): Promise<ShellState> {
    const { terminal, reader, end, isStopped } = this.#find(id);
    if (end === null) return { status: "running", exit: null, printed: await printedBy(terminal), reader };
    return { status: isStopped ? "stopped" : "exited", ...end, reader };
  }

  /** False when it had ended before. */
  async stop(id: string): Promise<boolean> {
    const shell = this.#find(id);
    if (shell.end !== null) return false;
    shell.isStopped = true;
    await soon(shell.terminal.kill());
    await soon(shell.over);
    return true;
  }

  /** The session is over. */
  async stopAll(): Promise<void> {
    const running = [...this.#background.entries()].filter(([, { end }]) => end === null);
    await Promise.all(
      running.map(async ([id, shell]) => {
        await this.stop(id);
        // Where the client does not tell that it has ended.
        if (shell.end === null) await soon(shell.terminal.release());
      }),
    );
  }

  async #open(command: string, call: CallInProgress): Promise<ClientTerminal> {
    call.signal.throwIfAborted();
    let terminal: ClientTerminal;
    try {
      terminal = await this.#create({ command, cwd: this.#cwd, outputByteLimit });
    } catch (error) {
      throw new ToolFailure(`The command was not run: ${wordsOf(error)}`);
    }
    call.show({ content: [terminalContent(terminal.id)] });
    return terminal;
  }

  async #finish(shell: Shell, exit: TerminalExit | null): Promise<void> {
    shell.end = { exit, printed: await printedBy(shell.terminal) };
    await soon(shell.terminal.release());
  }

  #find(id: string): Shell {
    const shell = this.#background.get(id);
    if (shell !== undefined) return shell;
    const known = [...this.#background.keys()];
    throw new ToolFailure(
      `There is no shell ${id}. ${known.length === 0 ? "None was started." : `There are ${known.join(", ")}.`}`,
    );
  }
}

async function printedBy(terminal: ClientTerminal): Promise<TerminalOutput> {
  return (await soon(terminal.output())) ?? { output: "[The client did not say what was printed.]", truncated: false };
}

async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T | "aborted"> {
  const { promise, resolve } = Promise.withResolvers<"aborted">();
  const listener = () => resolve("aborted");
  signal.addEventListener("abort", listener, { once: true });
  if (signal.aborted) listener();
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener("abort", listener);
    // Whoever lost the race may still fail, and nobody cares any more.
    work.catch(() => {});
  }
}

async function soon<T>(answer: Promise<T>): Promise<T | undefined> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => resolve(undefined), clientPatienceMs);
  try {
    return await Promise.race([answer.catch(() => undefined), promise]);
  } finally {
    clearTimeout(timer);
  }
}
