// PostgreSQL behind TLS, for tests: answers the request for TLS as a server does that has a certificate, and passes on what comes.
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect, createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { TLSSocket } from "node:tls";

const file = (name: string) => join(import.meta.dirname, "tls", name);

/** The certificate is its own authority. */
export const certificateFile = file("cert.pem");

export class TlsFront implements AsyncDisposable {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(target: number) {
    const certificate = { cert: readFileSync(certificateFile), key: readFileSync(file("key.pem")) };
    this.#server = createServer((socket) => {
      this.#sockets.add(socket);
      socket.on("error", () => {});
      // The first message asks for TLS, and nothing else is sent before the answer.
      socket.once("data", () => {
        socket.write("S");
        const near = new TLSSocket(socket, { isServer: true, ...certificate });
        const far = connect(target, "127.0.0.1");
        this.#sockets.add(far);
        for (const [one, other] of [
          [near, far],
          [far, near],
        ] as const)
          one.on("error", () => other.destroy()).on("close", () => other.destroy());
        near.pipe(far).pipe(near);
      });
    });
  }

  static async to(target: number): Promise<TlsFront> {
    const front = new TlsFront(target);
    front.#server.listen(0, "127.0.0.1");
    await once(front.#server, "listening");
    return front;
  }

  get port(): number {
    const address = this.#server.address();
    if (address === null || typeof address === "string") throw new Error("it does not listen");
    return address.port;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }
}
