// The WebSocket connection to a host: typed requests and queries, listeners for everything else, and reconnecting.
import {
  HostError,
  type QueryArgs,
  type QueryName,
  type QueryPage,
  type RequestId,
  type RequestName,
  type RequestParams,
  type RequestResult,
  type ServerMessage,
} from "@signalbox/protocol";
import { isHostUp } from "./is-host-up.ts";

/** `refused`: the host is up and does not accept the token. Only a connection that reconnects finds that out; any other is `offline`. */
export type ConnectionStatus = "connecting" | "open" | "offline" | "refused";

/** The connection was lost, so there is no answer. The host may have done what was asked. */
/** For a person whose command or editor was connected. */
export const connectionLost = "The connection to Signalbox was lost: the host stopped, or the network failed.";

export class OfflineError extends HostError {
  constructor(message: string) {
    super("unavailable", message);
  }
}

export interface HostAddress {
  readonly token: string;
  /** Where the host listens, such as `http://127.0.0.1:4280`. */
  readonly address: string;
}

/** The part of a WebSocket that is used here: that of browsers and Node, or one of the package ws. */
export interface HostSocket {
  readonly readyState: number;
  send(text: string): void;
  close(): void;
  /** Ends the connection without waiting for the other side; browsers do not have it. */
  terminate?(): void;
  addEventListener(type: "open" | "close" | "error", listener: () => void): void;
  addEventListener(type: "message", listener: (event: { readonly data: unknown }) => void): void;
}

export interface ConnectionOptions extends HostAddress {
  /** False: a lost connection stays lost. */
  readonly reconnects?: boolean;
  /** Opens the socket, in Node for example with the host's certificate. */
  readonly openSocket?: (url: string, protocols: string[]) => HostSocket;
}

/** The parts of any answer that are not its result, and those of a page of rows. */
interface Answer {
  readonly type: string;
  readonly request_id?: RequestId | undefined;
  readonly rows?: readonly unknown[];
  readonly next_cursor?: string;
}

interface PendingRequest {
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: HostError) => void;
}

const minRetryMs = 250;
const maxRetryMs = 5000;
/** A host that does not close its side must not keep a process alive. */
const closeMs = 500;
const openState = 1;

export class HostConnection {
  /** Where the host listens. */
  readonly origin: string;
  readonly #token: string;
  readonly #reconnects: boolean;
  readonly #openSocket: (url: string, protocols: string[]) => HostSocket;
  readonly #pending = new Map<RequestId, PendingRequest>();
  readonly #messageListeners = new Set<(message: ServerMessage) => void>();
  readonly #statusListeners = new Set<() => void>();
  #socket: HostSocket | null = null;
  #status: ConnectionStatus = "connecting";
  #retryMs = minRetryMs;
  #nextId = 1;
  #retryTimer: ReturnType<typeof setTimeout> | undefined;
  #isClosed = false;

  constructor({ token, address, reconnects = true, openSocket = openWebSocket }: ConnectionOptions) {
    this.#token = token;
    this.origin = new URL(address).origin;
    this.#reconnects = reconnects;
    this.#openSocket = openSocket;
    this.#connect();
  }

  get status(): ConnectionStatus {
    return this.#status;
  }

  onStatus(listener: () => void): () => void {
    this.#statusListeners.add(listener);
    return () => this.#statusListeners.delete(listener);
  }

  /** Calls back with every message, answers included. */
  onMessage(listener: (message: ServerMessage) => void): () => void {
    this.#messageListeners.add(listener);
    return () => this.#messageListeners.delete(listener);
  }

  /** Resolves to the result. Rejects with the host's error, or an OfflineError when the connection is lost before the answer. */
  async request<Name extends RequestName>(name: Name, params: RequestParams<Name>): Promise<RequestResult<Name>> {
    const { type: _type, request_id: _id, ...result } = await this.#send({ control: name, ...params });
    // The host makes the answer to a name from the result of that name.
    return result as RequestResult<Name>;
  }

  /** Resolves to a page of rows. Rejects as `request` does. */
  async query<Name extends QueryName>(name: Name, args: QueryArgs<Name>): Promise<QueryPage<Name>> {
    const { rows, next_cursor } = await this.#send({ control: "tvx.query", name, args });
    // The answer to a query has the rows of its name.
    return { rows, ...(next_cursor === undefined ? {} : { next_cursor }) } as QueryPage<Name>;
  }

  /** Resolves when the connection is open. */
  whenOpen(): Promise<void> {
    return new Promise((resolve) => this.#whenStatus((status) => status === "open", resolve));
  }

  /** Resolves when the connection is lost, closed, or cannot be opened. */
  whenLost(): Promise<void> {
    return new Promise((resolve) =>
      this.#whenStatus((status) => status === "offline" || status === "refused", resolve),
    );
  }

  /** Connects now instead of after the pause that follows a failure. */
  retryNow(): void {
    if (this.#socket === null && !this.#isClosed) this.#connect();
  }

  /** Downloads a file of the host, with the token. */
  async download(path: string): Promise<Blob> {
    const response = await fetch(`${this.origin}${path}`, {
      headers: { Authorization: `Bearer ${this.#token}` },
    }).catch(() => {
      throw new OfflineError("Disconnected. Try again when Signalbox is reachable.");
    });
    if (!response.ok) throw new HostError("unavailable", `Download failed: ${await response.text()}`);
    return await response.blob();
  }

  /** Ends the connection for good. Resolves when it is closed. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#retryTimer);
    const socket = this.#socket;
    if (socket === null) return;
    const closed = new Promise<void>((resolve) => socket.addEventListener("close", resolve));
    socket.close();
    const timer = setTimeout(() => socket.terminate?.(), closeMs);
    await closed;
    clearTimeout(timer);
  }

  #whenStatus(matches: (status: ConnectionStatus) => boolean, callback: () => void): void {
    if (matches(this.#status)) return callback();
    const stop = this.onStatus(() => {
      if (!matches(this.#status)) return;
      stop();
      callback();
    });
  }

  #send(message: object): Promise<Answer> {
    const socket = this.#socket;
    if (socket === null || socket.readyState !== openState)
      return Promise.reject(new OfflineError("Not connected to Signalbox."));
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      socket.send(JSON.stringify({ id, ...message }));
    });
  }

  #connect(): void {
    const protocols = ["signalbox.v1", `signalbox.token.${this.#token}`];
    const socket = this.#openSocket(`${this.origin.replace(/^http/, "ws")}/ws`, protocols);
    this.#socket = socket;
    let wasOpen = false;
    socket.addEventListener("open", () => {
      wasOpen = true;
      this.#retryMs = minRetryMs;
      this.#setStatus("open");
    });
    socket.addEventListener("message", ({ data }) => this.#receive(JSON.parse(String(data)) as ServerMessage));
    // A close always follows, and is handled.
    socket.addEventListener("error", () => {});
    socket.addEventListener("close", () => {
      this.#socket = null;
      // Before the requests fail: a caller that retries must see the new status.
      if (this.#status === "open") this.#setStatus("offline");
      for (const { reject } of this.#pending.values()) reject(new OfflineError(connectionLost));
      this.#pending.clear();
      void this.#afterClose(wasOpen);
    });
  }

  async #afterClose(wasOpen: boolean): Promise<void> {
    // A browser does not say why a WebSocket was refused. If the host is up, the token is wrong.
    const isRefused = this.#reconnects && !wasOpen && (await isHostUp(this.origin));
    if (this.#isClosed) return;
    this.#setStatus(isRefused ? "refused" : "offline");
    if (!this.#reconnects) return;
    this.#retryTimer = setTimeout(() => this.retryNow(), this.#retryMs);
    this.#retryMs = Math.min(this.#retryMs * 2, maxRetryMs);
  }

  #receive(message: ServerMessage): void {
    const id = "request_id" in message ? message.request_id : undefined;
    const pending = id === undefined ? undefined : this.#pending.get(id);
    if (id !== undefined) this.#pending.delete(id);
    if (message.type === "tinyvex.error") {
      const { code, message: text, details } = message;
      pending?.reject(new HostError(code, text, details === undefined ? {} : { details }));
    } else pending?.resolve(message);
    for (const listener of this.#messageListeners) listener(message);
  }

  #setStatus(status: ConnectionStatus): void {
    if (this.#status === status) return;
    this.#status = status;
    for (const listener of this.#statusListeners) listener();
  }
}

function openWebSocket(url: string, protocols: string[]): HostSocket {
  return new WebSocket(url, protocols);
}
