// One agent as a child process under the sandbox's supervisor: its lines, the tails of what it printed beside them, its
// end, and the ladder that stops it with everything it started.
import { existsSync } from "node:fs";
import { findHelper, type Supervised, spawnSupervised } from "@signalbox/sandbox";
import { messageOf } from "../data/host-error.ts";
import { agentEnvironment } from "./agent-environment.ts";
import { type AgentExit, TextTail, tailOf } from "./agent-exit.ts";
import { type FoundProgram, findProgram, programPlaces } from "./find-program.ts";
import { LineSplitter } from "./line-splitter.ts";
import type { PidLedger } from "./pid-ledger.ts";
import type { AgentDefinition } from "./registry.ts";

/** Room for any honest message, such as a big file in one line. */
const maxLineBytes = 256 * 1024 * 1024;
/** stdin's end, then TERM, then KILL: each step this long after the one before. */
const stepMilliseconds = 1000;
/** A daemon that left the group may hold stdout open after the end; this long without a word and we do not wait for it. */
const silenceMilliseconds = 1000;
const openBrace = "{";

export interface AgentProcessOptions {
  /** Where the process is noted, so that a crash of ours leaves nothing behind. */
  readonly ledger?: PidLedger | undefined;
  /** The supervisor; null for none. */
  readonly helper?: string | null;
}

/** What starting needs to know of an agent; a bare command is enough. */
type Startable = Pick<AgentDefinition, "command" | "args"> & Partial<AgentDefinition>;

export class AgentProcess {
  /** Resolves once, when the process and all it started are gone and everything it wrote was read. */
  readonly exited: Promise<AgentExit>;
  readonly #stderr = new TextTail();
  readonly #junk = new TextTail();
  readonly #agent: Startable;
  readonly #ledger: PidLedger | undefined;
  readonly #hasSupervisor: boolean;
  #supervised: Supervised | null = null;

  constructor(agent: Startable, cwd: string, onLine: (line: string) => void, options: AgentProcessOptions = {}) {
    this.#agent = agent;
    this.#ledger = options.ledger;
    const env = agentEnvironment(agent, process.env);
    const helper = helperOf(options);
    this.#hasSupervisor = helper !== undefined;
    const program = findProgram(agent, programPlaces(env));
    if (program === null) this.exited = this.#neverStarted(notFound(agent));
    // Asked first, because the error of a start in a missing folder names the program instead.
    else if (!existsSync(cwd)) this.exited = this.#neverStarted(`its folder ${cwd} does not exist.`);
    else this.exited = this.#run(program, { cwd, env, helper }, onLine);
  }

  /** The supervisor's process, or the agent's where there is none. */
  get pid(): number | undefined {
    return this.#supervised?.process.pid;
  }

  /** The ends of stderr and of what else it printed, for an error message; empty when there was nothing. */
  get tail(): string {
    return tailOf(this.#exit(""));
  }

  /** A line that came as a message and is none: kept for the error message. */
  noteJunk(line: string): void {
    this.#junk.add(`${line}\n`);
  }

  send(line: string): Promise<void> {
    const stdin = this.#supervised?.process.stdin;
    if (stdin === undefined) return Promise.reject(new Error("The agent is not running."));
    return new Promise((resolve, reject) => {
      stdin.write(`${line}\n`, (error) => (error ? reject(error) : resolve()));
    });
  }

  /** stdin's end, TERM, KILL, until it is gone. */
  async stop(): Promise<void> {
    const supervised = this.#supervised;
    if (supervised === null) return;
    supervised.process.stdin.end();
    const isDeaf = this.#agent.quirks?.endsAtStdinEnd === false;
    const untilTerm = isDeaf ? 0 : stepMilliseconds;
    const steps = [
      setTimeout(() => this.#terminate(), untilTerm),
      setTimeout(() => supervised.killTree(), untilTerm + stepMilliseconds),
    ];
    await this.exited;
    for (const step of steps) clearTimeout(step);
  }

  #terminate(): void {
    const { pid } = this;
    if (pid === undefined) return;
    try {
      // A supervisor hands the signal on to the agent's group; without one the agent leads that group itself.
      process.kill(this.#hasSupervisor ? pid : -pid, "SIGTERM");
    } catch {
      // Gone already.
    }
  }

  /** Ends it and everything it started at once. */
  kill(): void {
    this.#supervised?.killTree();
  }

  async #run(
    { command, args }: FoundProgram,
    surroundings: { cwd: string; env: Record<string, string>; helper: string | undefined },
    onLine: (line: string) => void,
  ): Promise<AgentExit> {
    const supervised = spawnSupervised({ ...surroundings, command, args });
    const child = supervised.process;
    this.#supervised = supervised;
    // A dead agent's stdin fails; `exited` tells why better than EPIPE does.
    child.stdin.on("error", () => {});
    child.stderr.setEncoding("utf8").on("data", (text: string) => this.#stderr.add(text));
    const lines = new LineSplitter(maxLineBytes, (line) => {
      if (line.trimStart().startsWith(openBrace)) onLine(line);
      else this.noteJunk(line);
    });
    child.stdout.on("data", (chunk: Buffer) => {
      try {
        lines.push(chunk);
      } catch (error) {
        this.#stderr.add(`\n[Signalbox stopped the agent: it sent ${messageOf(error)}]`);
        supervised.killTree();
      }
    });
    child.stdout.on("end", () => lines.end());
    // An error after the start is a signal that could not be sent: the exit says the rest.
    const failed = new Promise<Error>((resolve) => child.on("error", resolve));
    const closed = new Promise<void>((resolve) => child.on("close", () => resolve()));
    const ended = new Promise<string>((resolve) => {
      child.on("exit", (code, signal) =>
        resolve(signal === null ? `exited with code ${code}` : `was ended by ${signal}`),
      );
    });
    const { pid } = child;
    if (pid === undefined) {
      this.#supervised = null;
      return await this.#neverStarted(messageOf(await failed));
    }
    this.#ledger?.add(pid);
    const what = await ended;
    // Without a supervisor, what the agent started and left behind is in its group.
    supervised.killTree();
    await this.#untilRead(supervised, closed);
    this.#ledger?.remove(pid);
    this.#supervised = null;
    return this.#exit(what);
  }

  async #untilRead({ process: child }: Supervised, closed: Promise<void>): Promise<void> {
    const silence = new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, silenceMilliseconds);
      for (const stream of [child.stdout, child.stderr]) stream.on("data", () => timer.refresh());
      void closed.then(() => clearTimeout(timer));
    });
    await Promise.race([closed, silence]);
    child.stdout.destroy();
    child.stderr.destroy();
  }

  async #neverStarted(why: string): Promise<AgentExit> {
    return { ...this.#exit(`could not be started: ${why}`), wasStarted: false };
  }

  #exit(what: string): AgentExit {
    return { what, wasStarted: true, stderr: this.#stderr.text, junk: this.#junk.text };
  }
}

function helperOf({ helper }: AgentProcessOptions): string | undefined {
  return helper === undefined ? findHelper() : (helper ?? undefined);
}

function notFound({ command, label = command, needs, install }: Startable): string {
  const advice = install === undefined ? "Check the command and the PATH." : `Install it with: ${install}`;
  const what = needs === undefined ? `the program ${command}` : `the package ${needs.npmPackage}`;
  return `${what} of ${label} was not found. ${advice}`;
}
