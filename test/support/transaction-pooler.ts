// A pooler in transaction mode before a real PostgreSQL, as PgBouncer is: many clients share a few connections of the server, each only until its
// transaction ends. What the server sends outside of one, such as notifications, is dropped. For one user and one database.
import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";

const idle = "I".charCodeAt(0);

/** A connection of the server, and the client that uses it now. */
interface Backend {
  readonly socket: Socket;
  client: Client | null;
  /** Requests of the client that the server has not finished. */
  open: number;
}

interface Client {
  readonly socket: Socket;
  backend: Backend | null;
  /** What waits for a connection of the server. */
  readonly waiting: Buffer[];
}

export class TransactionPooler implements AsyncDisposable {
  readonly #server: Server;
  readonly #target: number;
  readonly #size: number;
  readonly #backends: Backend[] = [];
  readonly #queue: Client[] = [];
  readonly #clients = new Set<Client>();
  #startup: Buffer | null = null;
  /** How many clients were connected at the same time. */
  maxClients = 0;

  private constructor(target: number, size: number) {
    this.#target = target;
    this.#size = size;
    this.#server = createServer((socket) => this.#accept(socket));
  }

  static async to(target: number, size: number): Promise<TransactionPooler> {
    const pooler = new TransactionPooler(target, size);
    pooler.#server.listen(0, "127.0.0.1");
    await once(pooler.#server, "listening");
    return pooler;
  }

  get port(): number {
    const address = this.#server.address();
    if (address === null || typeof address === "string") throw new Error("the pooler does not listen");
    return address.port;
  }

  #accept(socket: Socket): void {
    const client: Client = { socket, backend: null, waiting: [] };
    this.#clients.add(client);
    this.maxClients = Math.max(this.maxClients, this.#clients.size);
    let hasStarted = false;
    const read = messages(
      () => !hasStarted,
      (type, message) => {
        if (!hasStarted) {
          hasStarted = true;
          this.#startup ??= message;
          // Signed in, a key to cancel with, and ready.
          socket.write(
            Buffer.concat([frame("R", int32(0)), frame("K", int32(1), int32(2)), frame("Z", Buffer.from("I"))]),
          );
        } else if (type === "X") socket.end();
        else this.#send(client, message);
      },
    );
    socket
      .on("data", read)
      .on("error", () => {})
      .on("close", () => this.#leave(client));
  }

  #send(client: Client, message: Buffer): void {
    const { backend } = client;
    if (backend !== null) return forward(backend, message);
    client.waiting.push(message);
    if (!this.#queue.includes(client)) this.#queue.push(client);
    this.#assign();
  }

  #assign(): void {
    while (this.#queue.length > 0) {
      const backend = this.#backends.find((candidate) => candidate.client === null) ?? this.#open();
      if (backend === null) return;
      const client = this.#queue.shift();
      if (client === undefined) return;
      backend.client = client;
      client.backend = backend;
      for (const message of client.waiting.splice(0)) forward(backend, message);
    }
  }

  #open(): Backend | null {
    if (this.#backends.length >= this.#size || this.#startup === null) return null;
    const socket = connect(this.#target, "127.0.0.1");
    const backend: Backend = { socket, client: null, open: 0 };
    this.#backends.push(backend);
    let isReady = false;
    const read = messages(
      () => false,
      (type, message) => {
        if (!isReady) {
          isReady = type === "Z";
          return;
        }
        const { client } = backend;
        client?.socket.write(message);
        if (type !== "Z") return;
        backend.open--;
        if (backend.open === 0 && message[5] === idle) this.#release(backend);
      },
    );
    socket
      .on("data", read)
      .on("error", () => {})
      .on("close", () => this.#lose(backend));
    socket.write(this.#startup);
    return backend;
  }

  #release(backend: Backend): void {
    if (backend.client !== null) backend.client.backend = null;
    backend.client = null;
    this.#assign();
  }

  #leave(client: Client): void {
    this.#clients.delete(client);
    const at = this.#queue.indexOf(client);
    if (at >= 0) this.#queue.splice(at, 1);
    // In the middle of something: it ends with its connection.
    client.backend?.socket.destroy();
  }

  #lose(backend: Backend): void {
    backend.client?.socket.destroy();
    this.#backends.splice(this.#backends.indexOf(backend), 1);
    this.#assign();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    for (const { socket } of [...this.#clients, ...this.#backends]) socket.destroy();
    await closed;
  }
}

function forward(backend: Backend, message: Buffer): void {
  const type = String.fromCharCode(message[0] ?? 0);
  // A simple query, or the end of an extended one: each is answered by ReadyForQuery.
  if (type === "Q" || type === "S") backend.open++;
  backend.socket.write(message);
}

/** Splits what a socket sends into messages. The first one of a client has no type. */
function messages(isUntyped: () => boolean, receive: (type: string, message: Buffer) => void): (data: Buffer) => void {
  let rest = Buffer.alloc(0);
  return (data) => {
    rest = Buffer.concat([rest, data]);
    for (;;) {
      const head = isUntyped() ? 0 : 1;
      if (rest.length < head + 4) return;
      const size = head + rest.readUInt32BE(head);
      if (rest.length < size) return;
      const message = rest.subarray(0, size);
      rest = rest.subarray(size);
      receive(head === 0 ? "" : String.fromCharCode(message[0] ?? 0), message);
    }
  };
}

function frame(type: string, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  return Buffer.concat([Buffer.from(type), int32(body.length + 4), body]);
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}
