// A screen without a browser: a connection of the client package that keeps every message, in order, and can also send frames as they are.
import { HostConnection } from "@signalbox/client";
import type {
  ClientMessage,
  QueryArgs,
  QueryName,
  QueryPage,
  RequestName,
  RequestParams,
  RequestResult,
  ServerMessage,
} from "@signalbox/protocol";
import { WebSocket } from "ws";
import type { Ready } from "./host-process.ts";
import { Watch } from "./watch.ts";

type Unnumbered<Message> = Message extends unknown ? Omit<Message, "id"> : never;

export class TestScreen implements Disposable {
  readonly received: ServerMessage[] = [];
  readonly #connection: HostConnection;
  readonly #socket: WebSocket;
  readonly #watch = new Watch();
  #nextId = 1;

  private constructor(connection: HostConnection, socket: WebSocket) {
    this.#connection = connection;
    this.#socket = socket;
    connection.onMessage((message) => {
      this.received.push(message);
      this.#watch.notify();
    });
  }

  static async connect({ port, token }: Ready): Promise<TestScreen> {
    const opened: WebSocket[] = [];
    const connection = new HostConnection({
      address: `http://127.0.0.1:${port}`,
      token,
      reconnects: false,
      openSocket: (url, protocols) => {
        const socket = new WebSocket(url, protocols);
        opened.push(socket);
        return socket;
      },
    });
    await Promise.race([connection.whenOpen(), connection.whenLost()]);
    const [socket] = opened;
    if (socket === undefined || connection.status !== "open") throw new Error(`not connected: ${connection.status}`);
    return new TestScreen(connection, socket);
  }

  sendRaw(text: string): void {
    this.#socket.send(text);
  }

  /** The result of a request; throws the host's error. */
  ask<Name extends RequestName>(name: Name, params: RequestParams<Name>): Promise<RequestResult<Name>> {
    return this.#connection.request(name, params);
  }

  /** A page of rows; throws the host's error. */
  query<Name extends QueryName>(name: Name, args: QueryArgs<Name>): Promise<QueryPage<Name>> {
    return this.#connection.query(name, args);
  }

  /** The answer to a request as it travels, errors included: for tests of the wire, and of refusals. */
  async request(message: Unnumbered<ClientMessage>): Promise<ServerMessage> {
    const id = `test-${this.#nextId++}`;
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
    await this.#connection.whenLost();
  }

  [Symbol.dispose](): void {
    this.#socket.terminate();
  }
}
