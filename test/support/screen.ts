// A screen without a browser: speaks the host's WebSocket and keeps what came, in order.
import { once } from "node:events";
import type { ClientMessage, ServerMessage } from "@signalbox/protocol";
import { WebSocket } from "ws";
import type { Ready } from "./host-process.ts";
import { Watch } from "./watch.ts";

type Request = ClientMessage extends infer Message ? (Message extends unknown ? Omit<Message, "id"> : never) : never;

export class TestScreen implements Disposable {
  readonly received: ServerMessage[] = [];
  readonly #socket: WebSocket;
  readonly #watch = new Watch();
  #nextId = 1;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on("message", (data: Buffer) => {
      this.received.push(JSON.parse(data.toString("utf8")) as ServerMessage);
      this.#watch.notify();
    });
  }

  static async connect({ port, token }: Ready): Promise<TestScreen> {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/ws`, ["signalbox.v1", `signalbox.token.${token}`]);
    await once(socket, "open");
    return new TestScreen(socket);
  }

  sendRaw(text: string): void {
    this.#socket.send(text);
  }

  /** The answer to a request, errors included. */
  async request(message: Request): Promise<ServerMessage> {
    const id = this.#nextId++;
    this.#socket.send(JSON.stringify({ id, ...message }));
    return await this.waitFor((answer) => "request_id" in answer && answer.request_id === id);
  }

  /** The first message, also one that came already, for which `matches` is true. */
  waitFor(matches: (message: ServerMessage) => boolean): Promise<ServerMessage> {
    let seen = 0;
    return this.#watch.until(() => {
      while (seen < this.received.length) {
        const message = this.received[seen++];
        if (message !== undefined && matches(message)) return message;
      }
      return undefined;
    });
  }

  /** Resolves when the other side ends the connection. */
  async closed(): Promise<void> {
    if (this.#socket.readyState !== WebSocket.CLOSED) await once(this.#socket, "close");
  }

  [Symbol.dispose](): void {
    this.#socket.terminate();
  }
}
