// A way to a server that a test can interrupt, or block without ending it.
import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";

export class InterruptibleProxy implements AsyncDisposable {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #isHanging = false;

  private constructor(target: number) {
    this.#server = createServer((near) => {
      const far = connect(target, "127.0.0.1");
      const ends = [near, far] as const;
      for (const socket of ends) {
        this.#sockets.add(socket);
        socket.on("error", () => {});
        socket.on("close", () => {
          this.#sockets.delete(socket);
          for (const other of ends) other.destroy();
        });
      }
      if (this.#isHanging) for (const socket of ends) socket.pause();
      near.pipe(far).pipe(near);
      if (this.#isHanging) near.unpipe(far);
    });
  }

  static async to(target: number): Promise<InterruptibleProxy> {
    const proxy = new InterruptibleProxy(target);
    proxy.#server.listen(0, "127.0.0.1");
    await once(proxy.#server, "listening");
    return proxy;
  }

  get port(): number {
    const address = this.#server.address();
    if (address === null || typeof address === "string") throw new Error("the proxy does not listen");
    return address.port;
  }

  /** Ends every connection; new ones get through. */
  interrupt(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Accepts connections and passes nothing on, until `resume`. */
  hang(): void {
    this.#isHanging = true;
    for (const socket of this.#sockets) {
      socket.unpipe();
      socket.pause();
    }
  }

  resume(): void {
    this.#isHanging = false;
    this.interrupt();
  }

  /** Nothing listens here any more. */
  shutDown(): void {
    this.#server.close();
    this.interrupt();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = this.#server.listening ? once(this.#server, "close") : null;
    this.shutDown();
    await closed;
  }
}
