// Talks to the helper that stays running (`serve`) and starts commands for us: a fork of this process takes milliseconds and blocks everything
// else. Each command has two connections, one for its output and one for its report.
import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { createServer, type Server, type Socket } from "node:net";
import type { Launch } from "./launch-request.ts";

/** A command for the helper: `run` or `hold`, with its arguments. */
type LaunchCommand = Pick<Launch, "program" | "arguments" | "env">;

export interface LaunchedStreams {
  readonly output: Socket;
  /** The report comes from here; closing it ends everything. */
  readonly control: Socket;
}

interface PendingLaunch {
  output?: Socket;
  control?: Socket;
  /** No command waits for it. */
  readonly isSpare: boolean;
  readonly resolve: (streams: LaunchedStreams) => void;
  readonly reject: (error: Error) => void;
  /** Ends the timers and listeners of the wait. */
  readonly release: () => void;
}

/** A process of the helper that is connected, and waits for a command. */
interface Spare {
  readonly streams: LaunchedStreams;
  readonly timer: NodeJS.Timeout;
}

/** It ended before the command began. */
class HelperGoneError extends Error {
  override readonly name = "HelperGone";
}

const tokenBytes = 16;
/** The role, the token and the end of the line. */
const greetingBytes = 1 + 2 * tokenBytes + 1;
/** A command whose connections do not come has been lost: the system hangs up on those who come when we have no descriptor left. */
const connectTimeoutMs = 10_000;
const lostMessage =
  "the sandbox helper did not connect; perhaps too many files are open here. Try again when fewer are";
/** A stranger that connects and says nothing is not kept for longer. */
const greetingTimeoutMs = 5000;
const badUsage = 64;
/** A process that waits for the next command, which comes soon after this one or not at all. */
const spareTimeoutMs = 60_000;

const standingBy = new Map<string, Launcher>();

export class Launcher {
  readonly #program: string;
  readonly #process: ChildProcess;
  readonly #server: Server;
  readonly #waiting = new Map<string, PendingLaunch>();
  #spare: Spare | undefined;
  #isSpareComing = false;
  #ended = false;

  private constructor(program: string) {
    const address = `signalbox-${process.pid}-${randomBytes(8).toString("hex")}`;
    this.#program = program;
    // Abstract, so that no file is left behind. Any process can connect to it, but gets nothing without a token.
    this.#server = createServer((socket) => this.#meet(socket)).listen(`\0${address}`);
    this.#server.on("error", (error) => this.#end(error));
    this.#server.unref();
    this.#process = spawn(program, ["serve", address], { cwd: "/", env: {}, stdio: ["pipe", "ignore", "ignore"] });
    this.#process.on("error", (error) => this.#end(error));
    this.#process.on("exit", (code) => this.#end(new HelperGoneError(describeExit(code))));
    this.#process.stdin?.on("error", () => {}); // its exit says more
    this.#process.unref();
  }

  /** Rejects where it cannot begin. One that never began because the helper died may begin with the next one. */
  static async start(launch: LaunchCommand, unwanted: AbortSignal): Promise<LaunchedStreams> {
    try {
      return await Launcher.#of(launch.program).#start(launch, unwanted);
    } catch (error) {
      if (!(error instanceof HelperGoneError) || unwanted.aborted) throw error;
      return await Launcher.#of(launch.program).#start(launch, unwanted);
    }
  }

  /** The one that stands by for this helper; the first command starts it. */
  static #of(program: string): Launcher {
    const launcher = standingBy.get(program) ?? new Launcher(program);
    standingBy.set(program, launcher);
    return launcher;
  }

  /** Rejects as soon as it is `unwanted`, until the command is on its way to the helper; before that it never begins. */
  async #start(launch: LaunchCommand, unwanted: AbortSignal): Promise<LaunchedStreams> {
    const request = encodeRequest(launch);
    const spare = this.#takeSpare();
    // One that ended meanwhile never began: another one is asked for.
    const begun = spare === undefined ? undefined : await this.#begin(spare, request).catch(() => undefined);
    return begun ?? (await this.#begin(await this.#connect(unwanted), request));
  }

  async #begin(streams: LaunchedStreams, request: Buffer): Promise<LaunchedStreams> {
    const begun = untilBegun(streams.control);
    streams.control.write(request);
    // While the command runs, we have nothing better to do.
    this.#prepareSpare();
    await begun;
    return streams;
  }

  /** Two lines to a process of the helper that waits for a command. */
  #connect(unwanted?: AbortSignal): Promise<LaunchedStreams> {
    const token = randomBytes(tokenBytes).toString("hex");
    return new Promise((resolve, reject) => {
      const giveUp = (why: string) => this.#giveUp(token, new Error(why));
      // After a look at what came while we were busy ourselves.
      const timer = setTimeout(() => setImmediate(() => giveUp(lostMessage)), connectTimeoutMs);
      const forget = () => giveUp("it was stopped before it began");
      unwanted?.addEventListener("abort", forget);
      const release = () => {
        clearTimeout(timer);
        unwanted?.removeEventListener("abort", forget);
      };
      const isSpare = unwanted === undefined;
      this.#waiting.set(token, { isSpare, resolve, reject, release });
      if (isSpare) timer.unref();
      else this.#server.ref();
      if (unwanted?.aborted === true) forget();
      else this.#process.stdin?.write(token);
    });
  }

  #takeSpare(): LaunchedStreams | undefined {
    const spare = this.#spare;
    if (spare === undefined) return undefined;
    this.#spare = undefined;
    clearTimeout(spare.timer);
    const { output, control } = spare.streams;
    if (output.destroyed || control.destroyed) {
      output.destroy();
      control.destroy();
      return undefined;
    }
    output.ref();
    control.ref();
    return spare.streams;
  }

  /** The next command does not have to wait until it is connected. Without one, nothing is lost but this time. */
  #prepareSpare(): void {
    if (this.#isSpareComing || this.#spare !== undefined) return;
    this.#isSpareComing = true;
    this.#connect()
      .then((streams) => {
        streams.output.unref();
        streams.control.unref();
        this.#spare = { streams, timer: setTimeout(() => this.#dropSpare(), spareTimeoutMs).unref() };
        if (this.#ended) this.#dropSpare();
      })
      .catch(() => {})
      .finally(() => (this.#isSpareComing = false));
  }

  #dropSpare(): void {
    const { output, control } = this.#takeSpare() ?? {};
    output?.destroy();
    control?.destroy();
  }

  #meet(socket: Socket): void {
    // After a look at what came while we were busy ourselves.
    const silence = setTimeout(() => setImmediate(() => isStranger && socket.destroy()), greetingTimeoutMs).unref();
    let isStranger = true;
    socket.on("error", () => {}); // its closing says enough
    const greet = () => {
      const greeting: unknown = socket.read(greetingBytes);
      if (!Buffer.isBuffer(greeting)) return;
      isStranger = false;
      socket.off("readable", greet);
      clearTimeout(silence);
      this.#accept(socket, greeting.toString("latin1"));
    };
    socket.on("readable", greet);
    socket.once("close", () => clearTimeout(silence));
  }

  #accept(socket: Socket, greeting: string): void {
    const token = greeting.slice(1, -1);
    const waiting = this.#waiting.get(token);
    if (waiting === undefined) {
      socket.destroy();
      return;
    }
    if (greeting.startsWith("o")) waiting.output = socket;
    else waiting.control = socket;
    const { output, control } = waiting;
    if (output === undefined || control === undefined) return;
    this.#settle(token);
    waiting.resolve({ output, control });
  }

  /** Forgets the token: a later connection with it is treated as a stranger's. */
  #giveUp(token: string, error: Error): void {
    const waiting = this.#waiting.get(token);
    if (waiting === undefined) return;
    waiting.output?.destroy();
    waiting.control?.destroy();
    this.#settle(token);
    waiting.reject(error);
  }

  #settle(token: string): void {
    this.#waiting.get(token)?.release();
    this.#waiting.delete(token);
    // Without a command to wait for, we do not keep the process alive.
    if ([...this.#waiting.values()].every(({ isSpare }) => isSpare)) this.#server.unref();
  }

  #end(error: Error): void {
    this.#ended = true;
    this.#dropSpare();
    if (standingBy.get(this.#program) === this) standingBy.delete(this.#program);
    this.#server.close();
    this.#process.stdin?.destroy();
    for (const token of this.#waiting.keys()) this.#giveUp(token, error);
  }
}

function describeExit(code: number | null): string {
  return code === badUsage
    ? "the sandbox helper does not fit this version; compile it again"
    : `the sandbox helper ended (${code === null ? "it was killed" : `code ${code}`}); try again`;
}

/** Resolves when the helper has the whole command; rejects when it never began. */
function untilBegun(control: Socket): Promise<void> {
  return new Promise((resolve, reject) => {
    const gone = () => reject(new HelperGoneError(describeExit(null)));
    if (control.destroyed) return gone();
    const onReadable = () => {
      const first = (control.read(1) as Buffer | null)?.toString("latin1");
      if (first === undefined) return;
      control.off("readable", onReadable);
      control.off("close", gone);
      if (first === "b") resolve();
      else reject(new Error(`${first}${String(control.read() ?? "")}`.replace(/^error /, "").trim()));
    };
    control.on("readable", onReadable);
    control.once("close", gone);
  });
}

/** The length, then words that each end with a zero byte: how many arguments, the arguments, the environment. */
function encodeRequest({ arguments: args, env }: LaunchCommand): Buffer {
  const words = [String(args.length), ...args, ...Object.entries(env).map(([name, value]) => `${name}=${value}`)];
  // Or else a word could pretend to be several, and one of them a rule.
  if (words.some((word) => word.includes("\0"))) throw new Error("a command, folder or variable contains a zero byte");
  const text = Buffer.from(`${words.join("\0")}\0`);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(text.length);
  return Buffer.concat([length, text]);
}
