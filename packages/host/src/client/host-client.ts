// Connects to a running host over its WebSocket: sends requests, and follows threads with the reducer that the page uses.
import { once } from "node:events";
import type { ConnectionOptions } from "node:tls";
import type {
  ClientMessage,
  QueryArgs,
  QueryName,
  QueryPage,
  QueryRow,
  ServerMessage,
  ThreadView,
} from "@signalbox/protocol";
import { applyChange, applySnapshot } from "@signalbox/protocol";
import { WebSocket } from "ws";
import { HostError } from "../data/host-error.ts";

type Request = ClientMessage extends infer Message ? (Message extends unknown ? Omit<Message, "id"> : never) : never;

interface Follower {
  view: ThreadView | null;
  readonly listener: (view: ThreadView) => void;
}

interface Waiting {
  readonly resolve: (message: ServerMessage) => void;
  readonly reject: (error: Error) => void;
}

/** Trusts exactly the certificate that the host recorded, with any issuer and any name. */
export function trusting(certificate: string | undefined): ConnectionOptions {
  if (certificate === undefined) return {};
  return { ca: certificate, allowPartialTrustChain: true, checkServerIdentity: () => undefined };
}

export class HostClient {
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, Waiting>();
  readonly #followers = new Map<string, Follower>();
  #nextId = 1;
  /** Rejects when the host is gone before `close` was called. */
  readonly lost: Promise<never>;

  /** `http://127.0.0.1:4280`: where it was found. */
  readonly origin: string;

  private constructor(socket: WebSocket, origin: string) {
    this.#socket = socket;
    this.origin = origin;
    socket.on("message", (data: Buffer) => this.#receive(JSON.parse(data.toString("utf8")) as ServerMessage));
    // A close always follows, and is handled.
    socket.on("error", () => {});
    this.lost = new Promise((_resolve, reject) => {
      socket.on("close", () => {
        const gone = new HostError("unavailable", "Signalbox is gone: the host stopped or the connection broke.");
        for (const { reject: refuse } of this.#waiting.values()) refuse(gone);
        this.#waiting.clear();
        reject(gone);
      });
    });
    // Not every caller waits for it.
    this.lost.catch(() => {});
  }

  /** Throws when no host listens there or the token is wrong. */
  static async connect(origin: URL, token: string, certificate?: string): Promise<HostClient> {
    const url = new URL("/ws", origin);
    url.protocol = origin.protocol === "https:" ? "wss:" : "ws:";
    const headers = { Authorization: `Bearer ${token}` };
    const socket = new WebSocket(url, ["signalbox.v1"], { headers, ...trusting(certificate) });
    await once(socket, "open");
    return new HostClient(socket, origin.origin);
  }

  /** Gives the answer; throws the host's error. */
  request(message: Request): Promise<ServerMessage> {
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      if (this.#socket.readyState !== WebSocket.OPEN) {
        reject(new HostError("unavailable", "The connection to Signalbox is closed."));
        return;
      }
      this.#waiting.set(id, { resolve, reject });
      this.#socket.send(JSON.stringify({ id, ...message }));
    });
  }

  async query<Name extends QueryName>(name: Name, args: QueryArgs<Name>): Promise<QueryPage<Name>> {
    const answer = await this.request({ control: "tvx.query", name, args });
    if (answer.type !== "tinyvex.query_result") throw unexpected(answer);
    const { rows, next_cursor } = answer;
    // The answer to this request has the rows of this name.
    return { rows: rows as readonly QueryRow<Name>[], next_cursor };
  }

  /** Calls back with the view of the thread, now and after every change. */
  async follow(threadId: string, listener: (view: ThreadView) => void): Promise<void> {
    this.#followers.set(threadId, { view: null, listener });
    await this.#subscribe(threadId);
  }

  async close(): Promise<void> {
    if (this.#socket.readyState === WebSocket.CLOSED) return;
    const closed = once(this.#socket, "close");
    this.#socket.close();
    // A host that does not close its side must not keep a command alive.
    const timer = setTimeout(() => this.#socket.terminate(), 500);
    await closed;
    clearTimeout(timer);
  }

  async #subscribe(threadId: string): Promise<void> {
    const seq = this.#followers.get(threadId)?.view?.seq;
    const after = seq === undefined ? {} : { after_seq: seq };
    await this.request({ control: "tvx.subscribe", stream: "thread", thread_id: threadId, ...after });
  }

  #receive(message: ServerMessage): void {
    this.#follow(message);
    if (!("request_id" in message) || typeof message.request_id !== "number") return;
    const waiting = this.#waiting.get(message.request_id);
    this.#waiting.delete(message.request_id);
    if (message.type === "tinyvex.error") {
      const { code, message: text, details } = message;
      waiting?.reject(new HostError(code, text, details === undefined ? {} : { details }));
    } else waiting?.resolve(message);
  }

  #follow(message: ServerMessage): void {
    if (!("thread_id" in message) || message.thread_id === undefined) return;
    const follower = this.#followers.get(message.thread_id);
    if (follower === undefined) return;
    if (message.type === "tinyvex.snapshot") follower.view = applySnapshot(follower.view, message);
    else if (message.type === "tinyvex.update" || message.type === "tinyvex.finalize") {
      if (follower.view === null) return;
      const hadGap = follower.view.gap;
      follower.view = applyChange(follower.view, message);
      // A connection that breaks meanwhile rejects `lost`.
      if (follower.view.gap && !hadGap) this.#subscribe(message.thread_id).catch(() => {});
    } else return;
    follower.listener(follower.view);
  }
}

export function unexpected(answer: ServerMessage): HostError {
  return new HostError("internal", `The host answered with ${answer.type}, which does not fit the request.`);
}
