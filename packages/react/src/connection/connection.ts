// The WebSocket connection to the host: requests with answers, listeners for everything else, and reconnecting.
import type { ClientMessage, ErrorCode, Json, RequestId, ServerMessage } from "@signalbox/protocol";
import { isHostUp } from "./is-host-up.ts";

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

interface PendingRequest {
  readonly resolve: (message: ServerMessage) => void;
  readonly reject: (error: RequestError) => void;
}

const minRetryMs = 250;
const maxRetryMs = 5000;

export interface HostAddress {
  readonly token: string;
  /** Where the host listens, such as `http://127.0.0.1:4280`; without it, where this page came from. */
  readonly address?: string | undefined;
}

export class Connection {
  readonly #address: string;
  readonly #token: string;
  readonly #pending = new Map<RequestId, PendingRequest>();
  readonly #messageListeners = new Set<(message: ServerMessage) => void>();
  readonly #statusListeners = new Set<() => void>();
  #socket: WebSocket | null = null;
  #status: ConnectionStatus = "connecting";
  #retryMs = minRetryMs;
  #nextId = 1;
  #retryTimer: ReturnType<typeof setTimeout> | undefined;
  #isClosed = false;

  constructor({ token, address = location.origin }: HostAddress) {
    this.#token = token;
    this.#address = new URL(address).origin;
    this.#connect();
    addEventListener("online", this.#retryNow);
  }

  /** Ends the connection for good. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#retryTimer);
    removeEventListener("online", this.#retryNow);
    this.#socket?.close();
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

  /** Resolves to the answer. Rejects with the host's error, or when the connection is lost before the answer. */
  request(message: Request): Promise<ServerMessage> {
    const socket = this.#socket;
    if (socket === null || socket.readyState !== WebSocket.OPEN) {
      return Promise.reject(new RequestError("offline", "Not connected to Signalbox."));
    }
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      socket.send(JSON.stringify({ id, ...message }));
    });
  }

  /** Resolves when the connection is open. */
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

  /** Downloads a file of the host, with the token. */
  async download(path: string): Promise<Blob> {
    const response = await fetch(`${this.#address}${path}`, {
      headers: { Authorization: `Bearer ${this.#token}` },
    }).catch(() => {
      throw new RequestError("offline", "Disconnected. Try again when Signalbox is reachable.");
    });
    if (!response.ok) throw new RequestError("unavailable", `Download failed: ${await response.text()}`);
    return await response.blob();
  }

  #connect(): void {
    const socket = new WebSocket(`${this.#address.replace(/^http/, "ws")}/ws`, [
      "signalbox.v1",
      `signalbox.token.${this.#token}`,
    ]);
    this.#socket = socket;
    let opened = false;
    socket.addEventListener("open", () => {
      opened = true;
      this.#retryMs = minRetryMs;
      this.#setStatus("open");
    });
    socket.addEventListener("message", ({ data }) => this.#receive(JSON.parse(String(data)) as ServerMessage));
    socket.addEventListener("close", () => {
      this.#socket = null;
      // Before the requests fail: a caller that retries must see the new status.
      if (this.#status === "open") this.#setStatus("offline");
      for (const { reject } of this.#pending.values()) {
        reject(new RequestError("offline", "The connection to Signalbox was lost before the answer."));
      }
      this.#pending.clear();
      void this.#afterClose(opened);
    });
  }

  async #afterClose(opened: boolean): Promise<void> {
    // A browser does not tell why a WebSocket was refused. If the host is up, the token is wrong.
    const refused = !opened && (await isHostUp(this.#address));
    if (this.#isClosed) return;
    this.#setStatus(refused ? "refused" : "offline");
    this.#retryTimer = setTimeout(this.#retryNow, this.#retryMs);
    this.#retryMs = Math.min(this.#retryMs * 2, maxRetryMs);
  }

  readonly #retryNow = (): void => {
    if (this.#socket === null && !this.#isClosed) this.#connect();
  };

  #receive(message: ServerMessage): void {
    const pending =
      "request_id" in message && message.request_id !== undefined ? this.#removePending(message.request_id) : null;
    if (message.type === "tinyvex.error") {
      pending?.reject(new RequestError(message.code, message.message, message.details ?? null));
      return;
    }
    pending?.resolve(message);
    for (const listener of this.#messageListeners) listener(message);
  }

  #removePending(id: RequestId): PendingRequest | null {
    const pending = this.#pending.get(id) ?? null;
    this.#pending.delete(id);
    return pending;
  }

  #setStatus(status: ConnectionStatus): void {
    if (this.#status === status) return;
    this.#status = status;
    for (const listener of this.#statusListeners) listener();
  }
}
