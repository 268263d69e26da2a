// The loopback that all commands of a session share: a network of its own, kept by a process of the helper (the holder). A server that one command starts is
// reached by the next one, and by no program of another session or of the machine.
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, rmSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { dirname, join } from "node:path";
import { messageOf } from "@signalbox/base";
import { canSandboxAgents, type Enforcement } from "../enforcement/enforcement.ts";
import { proxyOptions } from "../launch/helper-launch.ts";
import { type LaunchedStreams, Launcher } from "../launch/launcher.ts";
import type { NetworkByName } from "../policy/policy.ts";
import { type ListeningPort, listeningPorts } from "./listening-ports.ts";

interface LoopbackOptions {
  readonly helper: string;
  /** Where the holder takes orders. In a folder that no command can see. */
  readonly socket: string;
  /** The proxy of a network by name, which this loopback leads to. */
  readonly network?: NetworkByName | undefined;
  /** A holder that is not ready after so long is given up. */
  readonly readyMs?: number;
}

interface Holder {
  readonly ready: Promise<HeldLoopback>;
  /** Ends it, also while it starts. */
  readonly end: () => Promise<void>;
}

interface HeldLoopback {
  readonly pid: number;
  /** Its closing ends the holder; it closes when the holder has ended. */
  readonly control: Socket;
}

/** How the names of its sockets begin. */
export const loopbackPrefix = "loopback-";

export class SessionLoopback implements AsyncDisposable {
  readonly #options: LoopbackOptions;
  #holder: Holder | undefined;
  #pid: number | undefined;
  #isClosed = false;

  constructor(options: LoopbackOptions) {
    this.#options = options;
  }

  /** One for a new session; undefined where there can be none: without namespaces, or where the folder's path is too long for a socket. */
  static create(enforcement: Enforcement, folder: string, network?: NetworkByName): SessionLoopback | undefined {
    const socket = join(folder, `${loopbackPrefix}${randomBytes(6).toString("hex")}`);
    if (!canSandboxAgents(enforcement) || Buffer.byteLength(socket) > maxSocketPath) return undefined;
    return new SessionLoopback({ helper: enforcement.helper, socket, network });
  }

  /** The socket for the commands that share it. Starts the holder, and makes the folder, if there is none. Throws where it cannot be started. */
  async open(): Promise<string> {
    if (this.#isClosed) throw new Error("the session is closed");
    this.#holder ??= this.#start();
    await this.#holder.ready;
    if (this.#isClosed) throw new Error("the session is closed");
    return this.#options.socket;
  }

  /** Where programs of the session listen now, without the places of its proxy. */
  ports(): readonly ListeningPort[] {
    const pid = this.#pid;
    if (pid === undefined) return [];
    const proxy = new Set(this.#options.network?.places.map(({ address, port }) => `${address}:${port}`));
    return listeningPorts(pid).filter(({ address, port }) => !proxy.has(`${address}:${port}`));
  }

  /** A connection to a server of the session. Throws where none listens. */
  async connect(port: number): Promise<Socket> {
    if (this.#pid === undefined) throw new Error(`no program of this session listens on port ${port}`);
    const socket = connect(this.#options.socket);
    const order = Buffer.from([wantsPort, 0, 0, 0]);
    order.writeUInt16BE(port, 2);
    socket.write(order);
    return await new Promise((resolve, reject) => {
      const fail = () => reject(new Error(`no program of this session listens on port ${port}`));
      socket.once("error", fail);
      socket.once("close", fail);
      const read = () => {
        if (socket.read(1) === null) return;
        for (const event of ["error", "close"] as const) socket.off(event, fail);
        socket.off("readable", read);
        resolve(socket);
      };
      socket.on("readable", read);
    });
  }

  /** Ends the loopback. Commands that still use it find no one on it any more. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    await this.#holder?.end();
    // One that was killed left it.
    rmSync(this.#options.socket, { force: true });
  }

  #start(): Holder {
    const { helper, socket, network, readyMs = defaultReadyMs } = this.#options;
    mkdirSync(dirname(socket), { recursive: true, mode: 0o700 });
    const args = ["hold", "--loopback", socket, ...(network === undefined ? [] : proxyOptions(network))];
    const unwanted = new AbortController();
    const ready = holdLoopback({ program: helper, arguments: args, env: {} }, unwanted.signal, readyMs);
    const end = async () => {
      unwanted.abort();
      const held = await ready.catch(() => undefined); // `open` says why
      if (held !== undefined) await endHolder(held);
    };
    const holder = { ready, end };
    // The next command gets a new one.
    const forget = () => {
      if (this.#holder !== holder) return;
      this.#holder = undefined;
      this.#pid = undefined;
    };
    ready.then(({ pid, control }) => {
      this.#pid = pid;
      control.once("close", forget);
    }, forget);
    return holder;
  }
}

const maxSocketPath = 107;
const wantsPort = "p".charCodeAt(0);
/** Usually it takes about a millisecond. */
const defaultReadyMs = 10_000;
/** For a holder that does not end by itself: it has only to close. */
const endMs = 2000;

/** Started by the helper that stands by for commands: a fork of this process takes milliseconds. Throws where there can be no loopback, or none in time. */
async function holdLoopback(
  launch: Parameters<typeof Launcher.start>[0],
  unwanted: AbortSignal,
  readyMs: number,
): Promise<HeldLoopback> {
  const tooLate = new AbortController();
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    late.reject(new Error(`it was not ready within ${readyMs / 1000} s; try again`));
    tooLate.abort();
  }, readyMs);
  const launched = Launcher.start(launch, AbortSignal.any([unwanted, tooLate.signal]));
  try {
    return await Promise.race([launched.then(untilReady), late.promise]);
  } catch (error) {
    // Also one that begins later: without its control connection it ends.
    launched.then(({ control }) => control.destroy()).catch(() => {});
    const why = messageOf(error);
    throw new Error(`the loopback of the session cannot be opened: ${why}`, { cause: error });
  } finally {
    clearTimeout(timer);
  }
}

async function untilReady({ output, control }: LaunchedStreams): Promise<HeldLoopback> {
  output.destroy(); // it prints nothing
  const said = await firstLine(control);
  const [, pid] = /^ready (\d+)$/.exec(said) ?? [];
  if (pid === undefined) throw new Error(said.replace(/^error /, ""));
  // It does not keep this process alive; it ends with it.
  control.resume().unref();
  return { pid: Number(pid), control };
}

function firstLine(control: Socket): Promise<string> {
  let said = "";
  return new Promise((resolve, reject) => {
    control.setEncoding("utf8").on("data", (text: string) => {
      said += text;
      if (said.includes("\n")) resolve(said.trim());
    });
    control.once("close", () => reject(new Error("the process that keeps it was ended")));
  });
}

async function endHolder({ pid, control }: HeldLoopback): Promise<void> {
  if (control.destroyed) return;
  const ended = once(control, "close");
  control.ref().end();
  const kill = () => {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It has just ended.
    }
  };
  const timer = setTimeout(kill, endMs);
  await ended;
  clearTimeout(timer);
}
