// Runs one agent as a child process under the sandbox's supervisor: reads its lines, keeps the end of its other output, and stops it
// with everything it started.

import { existsSync } from "node:fs";
import { guard } from "@signalbox/base";
import { messageOf } from "@signalbox/protocol";
import {
  findHelper,
  probeHelper,
  type SandboxedProgram,
  type SupervisedProcess,
  spawnSandboxed,
  spawnSupervised,
  withoutSocketVariables,
} from "@signalbox/sandbox";
import { LineSplitter } from "@signalbox/sandbox/lines";
import { makeAgentEnvironment } from "./agent-environment.ts";
import { type AgentExit, describeExit, describeOutput, TextTail } from "./agent-exit.ts";
import { type FoundProgram, findProgram, listProgramPlaces } from "./find-program.ts";
import { LineQueue } from "./line-queue.ts";
import type { PidLedger } from "./pid-ledger.ts";
import type { AgentDefinition, AgentQuirks } from "./registry.ts";

/** Enough for every valid message, such as a large file in one line. */
const maxLineBytes = 256 * 1024 * 1024;
/** Time between the steps of a stop: end of stdin, TERM, KILL. */
const stopStepMs = 1000;
/** A daemon that left the group may keep stdout open after the end; reading stops after this long without output. */
const silenceMs = 1000;
/** How much is kept of a line that is no message. */
const maxJunkBytes = 4096;
/** A message begins within so many bytes. */
const maxBlankBytes = 1024;
const openBrace = 0x7b;
const space = 0x20;

export interface AgentProcessOptions {
  /** Records the process, so that the next host can end it after a crash of this one. */
  readonly ledger?: PidLedger | undefined;
  /** The supervisor program; null for none. */
  readonly helper?: string | null;
  /** The sandbox that it runs in with all it starts; undefined: outside, with the user's rights. */
  readonly sandbox?: Pick<SandboxedProgram, "enforcement" | "policy" | "loopback"> | undefined;
  /** Called with what it prints beside its messages, as it comes. */
  readonly onOutput?: (text: string) => void;
}

/** Gets one message after the other. Where it gives a promise, the next one waits for that, and so does the agent. */
type LineHandler = (line: Buffer) => Promise<void> | undefined;

/** The part of an agent's definition that is needed to start it. */
type Startable = Pick<AgentDefinition, "command" | "args"> & Partial<AgentDefinition>;

export class AgentProcess {
  /** Resolves once, when the process and all it started are gone and everything it wrote was read. */
  readonly exited: Promise<AgentExit>;
  readonly #stderr = new TextTail();
  readonly #junk = new TextTail();
  readonly #agent: Startable;
  readonly #ledger: PidLedger | undefined;
  readonly #hasSupervisor: boolean;
  readonly #onOutput: (text: string) => void;
  readonly #sandbox: AgentProcessOptions["sandbox"];
  #supervised: SupervisedProcess | null = null;
  /** Why Signalbox ended it; null while it may go on. */
  #stopReason: string | null = null;

  constructor(agent: Startable, cwd: string, onLine: LineHandler, options: AgentProcessOptions = {}) {
    this.#agent = agent;
    this.#ledger = options.ledger;
    this.#onOutput = options.onOutput ?? (() => {});
    this.#sandbox = options.sandbox;
    const all = makeAgentEnvironment(agent, process.env);
    const env = options.sandbox === undefined ? all : withoutSocketVariables(all);
    const helper = chooseHelper(options);
    this.#hasSupervisor = helper !== undefined;
    const program = findProgram(agent, listProgramPlaces(env));
    if (program === null) this.exited = this.#failToStart(explainNotFound(agent));
    // Checked first: starting in a missing folder gives an error that names the program instead.
    else if (!existsSync(cwd)) this.exited = this.#failToStart(`its folder ${cwd} does not exist.`);
    else
      this.exited = this.#run(program, { cwd, env, helper }, onLine).catch((error: unknown) => {
        this.kill();
        return this.#makeExit(`was stopped by Signalbox: ${messageOf(error)}`);
      });
  }

  /** The supervisor's process, or the agent's where there is none. */
  get pid(): number | undefined {
    return this.#supervised?.process.pid;
  }

  /** The end of stderr and of other output, for an error message; empty when there was none. */
  get tail(): string {
    return describeOutput(this.#makeExit(""));
  }

  /** Keeps a line of stdout that is no message, for an error message. */
  keepOutput(line: Buffer): undefined {
    const text = line.toString("utf8", 0, maxJunkBytes);
    if (text.trim() === "") return;
    this.#junk.add(`${text}\n`);
    this.#onOutput(`${text}\n`);
  }

  send(line: string): Promise<void> {
    const stdin = this.#supervised?.process.stdin;
    if (stdin === undefined) return Promise.reject(new Error("The agent is not running."));
    return new Promise((resolve, reject) => {
      stdin.write(`${line}\n`, (error) => (error ? reject(error) : resolve()));
    });
  }

  /** Ends stdin, then sends TERM, then KILL, until the process is gone. */
  async stop({ endsAtStdinEnd }: AgentQuirks = this.#agent.quirks ?? {}): Promise<void> {
    const supervised = this.#supervised;
    if (supervised === null) return;
    supervised.process.stdin.end();
    const untilTerm = endsAtStdinEnd === false ? 0 : stopStepMs;
    const steps = [
      setTimeout(() => this.#terminate(), untilTerm),
      setTimeout(() => supervised.killTree(), untilTerm + stopStepMs),
    ];
    await this.exited;
    for (const step of steps) clearTimeout(step);
  }

  #terminate(): void {
    const { pid } = this;
    if (pid === undefined) return;
    try {
      // A supervisor passes the signal to the agent's group; without one the agent leads that group itself.
      process.kill(this.#hasSupervisor ? pid : -pid, "SIGTERM");
    } catch {
      // Gone already.
    }
  }

  /** Ends it and everything it started immediately. `reason` becomes a part of how it ended. */
  kill(reason: string | null = null): void {
    this.#stopReason ??= reason;
    this.#supervised?.killTree();
  }

  async #run(
    { command, args }: FoundProgram,
    options: { cwd: string; env: Record<string, string>; helper: string | undefined },
    onLine: LineHandler,
  ): Promise<AgentExit> {
    const onNotice = (line: string) => this.#onOutput(`[Signalbox: ${line}]\n`);
    const program = { ...options, command, args };
    let supervised: SupervisedProcess;
    try {
      supervised =
        this.#sandbox === undefined
          ? spawnSupervised(program)
          : spawnSandboxed({ ...program, ...this.#sandbox, onNotice });
    } catch (error) {
      return await this.#failToStart(messageOf(error));
    }
    const child = supervised.process;
    this.#supervised = supervised;
    // Writing to a dead agent fails; `exited` has the reason.
    child.stdin.on("error", () => {});
    let hasAnswered = false;
    const fail = (error: unknown) => {
      // A line or a count over its limit is the agent's fault.
      this.#stopReason ??= error instanceof RangeError ? `it sent ${messageOf(error)}` : messageOf(error);
      // Nothing more is read, or the rest of an endless line would fill the memory until the process is gone.
      child.stdout.pause();
      child.once("exit", () => child.stdout.destroy());
      supervised.killTree();
    };
    child.stderr.setEncoding("utf8").on(
      "data",
      guard(fail, (text: string) => {
        this.#stderr.add(text);
        this.#onOutput(text);
      }),
    );
    const receive = (line: Buffer) => {
      if (!isObject(line)) return this.keepOutput(line);
      hasAnswered = true;
      return onLine(line);
    };
    const queue = new LineQueue(child.stdout, receive, fail);
    const lines = new LineSplitter(maxLineBytes, (line) => queue.push(line));
    child.stdout.on(
      "data",
      guard(fail, (chunk: Buffer) => lines.push(chunk)),
    );
    child.stdout.on(
      "end",
      guard(fail, () => lines.end()),
    );
    // An error after the start is a signal that could not be sent; the exit follows.
    const failed = new Promise<Error>((resolve) => child.on("error", resolve));
    const closed = new Promise<void>((resolve) => child.on("close", () => resolve()));
    const ended = new Promise<string>((resolve) => {
      child.on("exit", (code, signal) => resolve(describeExit(code, signal)));
    });
    const { pid } = child;
    if (pid === undefined) {
      this.#supervised = null;
      return await this.#failToStart(messageOf(await failed));
    }
    try {
      this.#ledger?.add(pid, supervised.mark);
    } catch (error) {
      // The next host could not end it after a crash of this one.
      fail(error);
    }
    const what = await ended;
    // Without a supervisor, what the agent started and left running is in its group, or has its mark.
    supervised.killTree();
    await supervised.endLeftovers();
    await this.#waitUntilRead(supervised, closed, queue);
    this.#ledger?.remove(pid);
    this.#supervised = null;
    // Another program in the helper's place would look like an agent that ends immediately.
    const { helper } = options;
    if (!hasAnswered && helper !== undefined && (await probeHelper(helper)) === undefined) {
      return await this.#failToStart(
        `the sandbox helper ${helper} does not work. Build it again: node packages/sandbox/native/build.mjs`,
      );
    }
    return this.#makeExit(this.#stopReason === null ? what : `was stopped by Signalbox: ${this.#stopReason}`);
  }

  async #waitUntilRead({ process: child }: SupervisedProcess, closed: Promise<void>, queue: LineQueue): Promise<void> {
    const silence = new Promise<void>((resolve) => {
      const timer: NodeJS.Timeout = setTimeout(() => (queue.isBusy ? timer.refresh() : resolve()), silenceMs);
      for (const stream of [child.stdout, child.stderr]) stream.on("data", () => timer.refresh());
      void closed.then(() => clearTimeout(timer));
    });
    await Promise.race([closed, silence]);
    child.stdout.destroy();
    child.stderr.destroy();
    await queue.waitUntilIdle();
  }

  async #failToStart(why: string): Promise<AgentExit> {
    return { ...this.#makeExit(`could not be started: ${why}`), wasStarted: false };
  }

  #makeExit(what: string): AgentExit {
    return { what, wasStarted: true, stderr: this.#stderr.text, junk: this.#junk.text };
  }
}

function chooseHelper({ helper }: AgentProcessOptions): string | undefined {
  return helper === undefined ? findHelper() : (helper ?? undefined);
}

function explainNotFound({ command, label = command, needs, install }: Startable): string {
  const advice = install === undefined ? "Check the command and the PATH." : `Install it with: ${install}`;
  const what = needs === undefined ? `the program ${command}` : `the package ${needs.npmPackage}`;
  return `${what} of ${label} was not found. ${advice}`;
}

/** Agents also print other text on stdout: a message begins with a brace. */
function isObject(line: Buffer): boolean {
  return line.subarray(0, maxBlankBytes).find((byte) => byte > space) === openBrace;
}
