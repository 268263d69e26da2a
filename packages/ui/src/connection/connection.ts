// The page's line to the host: requests with answers, everything else to the listeners, and a new try when the line breaks.
import type { ClientMessage, ErrorCode, Json, RequestId, ServerMessage } from "@signalbox/protocol";
import { hostAnswers } from "./host-answers.ts";

export type ConnectionStatus = "connecting" | "open" | "offline" | "refused";

/** A request without its id, each control with its own fields. */
export type Request = ClientMessage extends infer Message
  ? Message extends unknown
    ? Omit<Message, "id">
    : never
  : never;

export class RequestError extends Error {
  override readonly name = "RequestError";
  readonly code: ErrorCode | "offline";
  readonly details: Json;

  constructor(code: ErrorCode | "offline", message: string, details: Json = null) {
    super(message);
    this.code = code;
    this.details = details;
  }
}

interface Waiting {
  readonly resolve: (message: ServerMessage) => void;
  readonly reject: (error: RequestError) => void;
}

const firstPause = 250;
const longestPause = 5000;

export class Connection {
  readonly #token: string;
  readonly #waiting = new Map<RequestId, Waiting>();
  readonly #messageListeners = new Set<(message: ServerMessage) => void>();
  readonly #statusListeners = new Set<() => void>();
  #socket: WebSocket | null = null;
  #status: ConnectionStatus = "connecting";
  #pause = firstPause;
  #nextId = 1;

  constructor(token: string) {
    this.#token = token;
    this.#connect();
    addEventListener("online", () => this.#retryNow());
  }

  get status(): ConnectionStatus {
    return this.#status;
  }

  onStatus(listener: () => void): () => void {
    this.#statusListeners.add(listener);
    return () => this.#statusListeners.delete(listener);
  }

  onMessage(listener: (message: ServerMessage) => void): () => void {
    this.#messageListeners.add(listener);
    return () => this.#messageListeners.delete(listener);
  }

  /** Resolves to the answer; rejects with the host's error, or when the line breaks before there is one. */
  request(message: Request): Promise<ServerMessage> {
    const socket = this.#socket;
    if (socket === null || socket.readyState !== WebSocket.OPEN) {
      return Promise.reject(new RequestError("offline", "Signalbox is not connected."));
    }
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      socket.send(JSON.stringify({ id, ...message }));
    });
  }

  /** Resolves when the line is there: at once, or after it came back. */
  whenOpen(): Promise<void> {
    if (this.#status === "open") return Promise.resolve();
    return new Promise((resolve) => {
      const stop = this.onStatus(() => {
        if (this.#status !== "open") return;
        stop();
        resolve();
      });
    });
  }

  /** A file of the host that only who has the token may fetch. */
  async download(path: string): Promise<Blob> {
    const response = await fetch(path, { headers: { Authorization: `Bearer ${this.#token}` } }).catch(() => {
      throw new RequestError("offline", "Signalbox is not reachable. Try again when it is back.");
    });
    if (!response.ok) throw new RequestError("unavailable", `Signalbox gave no file: ${await response.text()}`);
    return await response.blob();
  }

  #connect(): void {
    const address = `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/ws`;
    const socket = new WebSocket(address, ["signalbox.v1", `signalbox.token.${this.#token}`]);
    this.#socket = socket;
    let opened = false;
    socket.addEventListener("open", () => {
      opened = true;
      this.#pause = firstPause;
      this.#setStatus("open");
    });
    socket.addEventListener("message", ({ data }) => this.#receive(JSON.parse(String(data)) as ServerMessage));
    socket.addEventListener("close", () => {
      this.#socket = null;
      // Before the refusals: whoever tries again on one must see that there is no line.
      if (this.#status === "open") this.#setStatus("offline");
      for (const { reject } of this.#waiting.values()) {
        reject(new RequestError("offline", "The connection to Signalbox broke before the answer came."));
      }
      this.#waiting.clear();
      void this.#afterClose(opened);
    });
  }

  async #afterClose(opened: boolean): Promise<void> {
    // A browser does not say why a WebSocket was refused. A host that answers but refuses us does not know our token.
    const refused = !opened && (await hostAnswers());
    this.#setStatus(refused ? "refused" : "offline");
    setTimeout(() => this.#retryNow(), this.#pause);
    this.#pause = Math.min(this.#pause * 2, longestPause);
  }

  #retryNow(): void {
    if (this.#socket === null) this.#connect();
  }

  #receive(message: ServerMessage): void {
    const waiting = "request_id" in message && message.request_id !== undefined ? this.#take(message.request_id) : null;
    if (message.type === "tinyvex.error") {
      waiting?.reject(new RequestError(message.code, message.message, message.details ?? null));
      return;
    }
    waiting?.resolve(message);
    for (const listener of this.#messageListeners) listener(message);
  }

  #take(id: RequestId): Waiting | null {
    const waiting = this.#waiting.get(id) ?? null;
    this.#waiting.delete(id);
    return waiting;
  }

  #setStatus(status: ConnectionStatus): void {
    if (this.#status === status) return;
    this.#status = status;
    for (const listener of this.#statusListeners) listener();
  }
}
