// The loopback that all commands of a session share: a network of its own, kept by a process of the helper. A server that one command starts is
// reached by the next one, and by no program of another session or of the machine.
import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { type Enforcement, enclosesAgents } from "../enforcement/enforcement.ts";
import { doorOptions } from "../launch/helper-launch.ts";
import type { NetworkByName } from "../policy/policy.ts";
import { type ListeningPort, listeningPorts } from "./listening-ports.ts";

interface LoopbackOptions {
  readonly helper: string;
  /** Where the holder takes orders. In a folder that no command can see. */
  readonly socket: string;
  /** The door of a network by name, which is on this loopback. */
  readonly network?: NetworkByName | undefined;
}

interface Holder {
  readonly process: ChildProcess;
  readonly ready: Promise<void>;
}

export class SessionLoopback implements AsyncDisposable {
  readonly #options: LoopbackOptions;
  #holder: Holder | undefined;
  #isClosed = false;

  constructor(options: LoopbackOptions) {
    this.#options = options;
  }

  /** One for a new session; undefined where there can be none: without namespaces, or where the folder's path is too long for a socket. */
  static create(enforcement: Enforcement, folder: string, network?: NetworkByName): SessionLoopback | undefined {
    const socket = join(folder, `loopback-${randomBytes(6).toString("hex")}`);
    if (!enclosesAgents(enforcement) || Buffer.byteLength(socket) > maxSocketPath) return undefined;
    return new SessionLoopback({ helper: enforcement.helper, socket, network });
  }

  /** The socket for the commands that share it. Starts the holder if there is none. Throws where it cannot be started. */
  async open(): Promise<string> {
    if (this.#isClosed) throw new Error("the session is closed");
    this.#holder ??= this.#start();
    await this.#holder.ready;
    if (this.#isClosed) throw new Error("the session is closed");
    return this.#options.socket;
  }

  /** Where programs of the session listen now, without the places of its door. */
  ports(): readonly ListeningPort[] {
    const pid = this.#holder?.process.pid;
    if (pid === undefined) return [];
    const door = new Set(this.#options.network?.places.map(({ address, port }) => `${address}:${port}`));
    return listeningPorts(pid).filter(({ address, port }) => !door.has(`${address}:${port}`));
  }

  /** A connection to a server of the session. Throws where none listens. */
  async connect(port: number): Promise<Socket> {
    if (this.#holder === undefined) throw new Error(`no program of this session listens on port ${port}`);
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
    const holder = this.#holder?.process;
    this.#holder = undefined;
    if (holder === undefined || holder.exitCode !== null || holder.signalCode !== null) return;
    // One that cannot be started says so by an error, and has no end.
    const ended = once(holder, "exit").catch(() => {});
    holder.ref();
    holder.stdin?.end();
    const timer = setTimeout(() => holder.kill("SIGKILL"), endMs);
    await ended;
    clearTimeout(timer);
    rmSync(this.#options.socket, { force: true });
  }

  #start(): Holder {
    const { helper, socket, network } = this.#options;
    const args = ["hold", "--loopback", socket, ...(network === undefined ? [] : doorOptions(network))];
    const process = spawn(helper, args, { cwd: "/", env: {}, stdio: ["pipe", "pipe", "ignore"] });
    const holder = { process, ready: readiness(process) };
    process.stdin.on("error", () => {}); // its end says enough
    // The next command gets a new one.
    const forget = () => {
      if (this.#holder === holder) this.#holder = undefined;
    };
    process.once("exit", forget);
    process.once("error", forget);
    // Once it runs, it does not keep this process alive; it ends with it.
    const release = () => {
      process.unref();
      for (const stream of [process.stdin, process.stdout] as unknown as readonly Socket[]) stream.unref();
    };
    holder.ready.then(release, forget);
    return holder;
  }
}

const maxSocketPath = 107;
/** For a holder that does not end by itself: it has only to close. */
const endMs = 2000;
const wantsPort = "p".charCodeAt(0);

function readiness(holder: ChildProcess): Promise<void> {
  let said = "";
  return new Promise((resolve, reject) => {
    const fail = (why: string) => reject(new Error(`the loopback of the session cannot be opened: ${why}`));
    holder.stdout?.setEncoding("utf8").on("data", (text: string) => {
      said += text;
      if (!said.includes("\n")) return;
      if (said.startsWith("ready")) resolve();
      else fail(said.replace(/^error /, "").trim());
    });
    holder.once("error", ({ message }) => fail(message));
    holder.once("close", () => fail("the sandbox helper ended; compile it again if it does not fit this version"));
  });
}
