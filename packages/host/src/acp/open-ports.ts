// Lets the person's browser reach a server that a command of the thread started. Each opened port has a listener of the host's own, on this machine
// only, until it is closed or the session ends. It answers only to a name that cannot be guessed, which is in the address that the page gets: no other
// program of the machine and no other site knows it. The name is a site of its own for the browser, apart from Signalbox's page, its token and its cookies.
import { randomBytes } from "node:crypto";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { guard } from "@signalbox/base";
import type { PortRow } from "@signalbox/protocol";
import type { SessionLoopback } from "@signalbox/sandbox";
import { HostError } from "../data/host-error.ts";

const maxOpened = 20;
const maxConnections = 128;
const maxHeadBytes = 32 * 1024;
const headTimeoutMs = 20_000;

interface OpenedPort {
  readonly server: Server;
  readonly url: string;
  readonly sockets: Set<Socket>;
}

/** Called when a port was opened or closed: by a person (`owner`, or the device), or with the session. */
export type OnPortChanged = (port: number, isOpen: boolean, by: string) => void;

export class OpenPorts implements AsyncDisposable {
  readonly #loopback: Pick<SessionLoopback, "connect" | "ports">;
  readonly #onChanged: OnPortChanged;
  readonly #opened = new Map<number, Promise<OpenedPort>>();
  #isClosed = false;

  constructor(loopback: Pick<SessionLoopback, "connect" | "ports">, onChanged: OnPortChanged) {
    this.#loopback = loopback;
    this.#onChanged = onChanged;
  }

  /** Where programs of the thread listen, and what is open, also where the program is gone. */
  async list(): Promise<readonly PortRow[]> {
    const listening = new Set(this.#loopback.ports().map(({ port }) => port));
    const ports = [...new Set([...listening, ...this.#opened.keys()])].toSorted((one, other) => one - other);
    return await Promise.all(
      ports.map(async (port) => ({
        port,
        is_listening: listening.has(port),
        url: (await this.#opened.get(port))?.url ?? null,
      })),
    );
  }

  /** Throws where no program of the thread listens. */
  async open(port: number, by: string): Promise<void> {
    if (this.#isClosed) throw new HostError("conflict", `The port ${port} cannot be opened: the session has ended.`);
    if (!this.#loopback.ports().some((each) => each.port === port)) {
      throw new HostError("not_found", `No program of this thread listens on port ${port}.`);
    }
    const known = this.#opened.get(port);
    if (known !== undefined) return void (await known);
    if (this.#opened.size >= maxOpened) {
      throw new HostError("conflict", `${maxOpened} ports of this thread are open. Close one first.`);
    }
    const opened = this.#listen(port);
    this.#opened.set(port, opened);
    opened.catch(() => this.#opened.delete(port));
    await opened;
    this.#onChanged(port, true, by);
  }

  async close(port: number, by: string): Promise<void> {
    // One that could not be opened was never open, and `open` says why.
    const opened = await this.#opened.get(port)?.catch(() => undefined);
    if (opened === undefined || !this.#opened.delete(port)) return;
    const { server, sockets } = opened;
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    for (const socket of sockets) socket.destroy();
    await closed;
    this.#onChanged(port, false, by);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#opened.keys()].map((port) => this.close(port, "session_end")));
  }

  async #listen(port: number): Promise<OpenedPort> {
    const sockets = new Set<Socket>();
    const name = `s${randomBytes(16).toString("hex")}.localhost`;
    const server = createServer((socket) => {
      sockets.add(socket);
      socket.on("error", () => {}); // its end says enough
      socket.once("close", () => sockets.delete(socket));
      const { port: ownPort } = server.address() as AddressInfo;
      guard(
        () => socket.destroy(),
        () => this.#serve(socket, `${name}:${ownPort}`, port),
      )();
    });
    server.maxConnections = maxConnections;
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(0, "127.0.0.1", resolve);
    });
    // A connection that cannot be accepted concerns its client only.
    server.on("error", () => {});
    return { server, sockets, url: `http://${name}:${(server.address() as AddressInfo).port}/` };
  }

  async #serve(socket: Socket, name: string, port: number): Promise<void> {
    const head = await readHead(socket);
    if (head === undefined) return void socket.destroy();
    // Later requests on the same connection are not read. They come from the same client, which has shown that it knows the name, and lead to the same
    // program. A browser keeps a connection for one name and port only, so a site of another name always begins with a connection of its own.
    if (hostIn(head) !== name) return refuse(socket, 403, "Open this address from Signalbox's page.");
    let upstream: Socket;
    try {
      upstream = await this.#loopback.connect(port);
    } catch {
      return refuse(socket, 502, `No program of this thread listens on port ${port} any more.`);
    }
    upstream.on("error", () => {});
    upstream.once("close", () => socket.destroy());
    socket.once("close", () => upstream.destroy());
    upstream.write(head);
    socket.pipe(upstream);
    upstream.pipe(socket);
  }
}

/** What the client sent up to the end of its first headers, with what came along. Undefined where there is no such end. */
function readHead(socket: Socket): Promise<Buffer | undefined> {
  let bytes = Buffer.alloc(0);
  return new Promise((resolve) => {
    const done = (head?: Buffer) => {
      clearTimeout(timer);
      socket.pause();
      socket.off("data", receive);
      socket.off("close", ended);
      resolve(head);
    };
    const ended = () => done();
    const receive = (chunk: Buffer) => {
      bytes = Buffer.concat([bytes, chunk]);
      if (bytes.includes("\r\n\r\n")) done(bytes);
      else if (bytes.length > maxHeadBytes) done();
    };
    const timer = setTimeout(ended, headTimeoutMs);
    socket.on("data", receive);
    socket.once("close", ended);
  });
}

/** The host that is asked for; undefined where none or more than one is named. */
function hostIn(head: Buffer): string | undefined {
  const [headers = ""] = head.toString("latin1").split("\r\n\r\n", 1);
  const hosts = [...headers.matchAll(/^host:[ \t]*(\S*)[ \t]*$/gim)].map(([, host = ""]) => host.toLowerCase());
  return hosts.length === 1 ? hosts[0] : undefined;
}

function refuse(socket: Socket, status: 403 | 502, reason: string): void {
  const body = `${reason}\n`;
  const name = status === 403 ? "Forbidden" : "Bad Gateway";
  const headers = `content-type: text/plain; charset=utf-8\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close`;
  socket.end(`HTTP/1.1 ${status} ${name}\r\n${headers}\r\n\r\n${body}`);
}
