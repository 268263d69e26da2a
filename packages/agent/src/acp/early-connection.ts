// Reads stdin from the start: answers `initialize` before the rest of the agent is loaded, and queues later messages until the SDK is
// connected.
import type { Readable } from "node:stream";
import type { AnyMessage, ClientCapabilities, Stream } from "@agentclientprotocol/sdk";
import { LineSplitter } from "@signalbox/sandbox/lines";
import { initialize } from "./initialize.ts";

/** Where lines for the client go. */
interface LineOutput {
  /** Soon; the promise, if there is one, resolves when there is room for more. */
  write(line: string): Promise<void> | undefined;
  /** Now. */
  flush(): void;
}

interface EarlyConnectionOptions {
  readonly input: Readable;
  readonly output: LineOutput;
  readonly version: string;
}

type Message = Readonly<Record<string, unknown>>;

/** The official ACP SDK accepts lines of this length too. */
const maxLineBytes = 32 * 1024 * 1024;

export class EarlyConnection {
  /** Resolves to what the client can do, when it has said so; to null when it left without. */
  readonly initialized: Promise<ClientCapabilities | null>;
  readonly #options: EarlyConnectionOptions;
  readonly #settle: (capabilities: ClientCapabilities | null) => void;
  readonly #waiting: Message[] = [];
  #deliver: ((message: Message) => void) | undefined;
  #close: (() => void) | undefined;
  #isInitialized = false;
  #ended = false;

  constructor(options: EarlyConnectionOptions) {
    this.#options = options;
    const { promise, resolve } = Promise.withResolvers<ClientCapabilities | null>();
    this.initialized = promise;
    this.#settle = resolve;
    const { input } = options;
    const lines = new LineSplitter(
      maxLineBytes,
      (line) => this.#receive(line.toString("utf8")),
      (start) => this.#refuseLong(start.toString("utf8")),
    );
    input.on("data", (bytes: Buffer) => lines.push(bytes));
    input.on("end", () => {
      lines.end();
      this.end();
    });
    input.on("error", () => this.end());
    input.on("close", () => this.end());
  }

  /** The client is gone, or is to be. */
  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#settle(null);
    this.#close?.();
  }

  /** Everything that came after `initialize` and that will come, for the official SDK. */
  connect(): Stream {
    const readable = new ReadableStream<AnyMessage>({
      start: (controller) => {
        this.#deliver = (message) => controller.enqueue(message as AnyMessage);
        this.#close = () => controller.close();
        for (const message of this.#waiting.splice(0)) this.#deliver(message);
        if (this.#ended) this.#close();
      },
      // The SDK does not listen any more: later messages are dropped.
      cancel: () => {
        this.#deliver = () => {};
        this.#close = undefined;
      },
    });
    const writable = new WritableStream<AnyMessage>({ write: (message) => this.#send(message) });
    return { readable, writable };
  }

  #receive(line: string): void {
    if (this.#ended || line.trim() === "") return;
    let message: unknown;
    try {
      message = JSON.parse(line);
    } catch {
      this.#refuse(null, -32_700, "Parse error");
      return;
    }
    if (typeof message !== "object" || message === null || Array.isArray(message)) {
      this.#refuse(null, -32_600, "Invalid request");
      return;
    }
    this.#dispatch(message as Message);
  }

  #refuseLong(start: string): void {
    if (this.#ended) return;
    this.#refuse(readId(start), -32_600, "Invalid request: the line is too long, send less in one message");
  }

  #dispatch(message: Message): void {
    const { id, method, params, jsonrpc } = message;
    const isRequest = jsonrpc === "2.0" && typeof method === "string" && isId(id);
    if (isRequest && method === "initialize") this.#initialize(id, params);
    else if (isRequest && !this.#isInitialized) {
      this.#refuse(id, -32_600, `Invalid request: initialize must come before ${method}`);
    } else if (this.#deliver === undefined) this.#waiting.push(message);
    else this.#deliver(message);
  }

  #initialize(id: string | number | null, params: unknown): void {
    const done = initialize(params, this.#options.version);
    if (done === undefined) {
      this.#refuse(id, -32_602, "Invalid params: protocolVersion must be a whole number, clientCapabilities an object");
      return;
    }
    void this.#send({ jsonrpc: "2.0", id, result: done.response });
    // Before anything else is loaded.
    this.#options.output.flush();
    this.#isInitialized = true;
    this.#settle(done.capabilities);
  }

  #refuse(id: string | number | null, code: number, message: string): void {
    void this.#send({ jsonrpc: "2.0", id, error: { code, message } });
  }

  #send(message: unknown): Promise<void> | undefined {
    return this.#options.output.write(`${JSON.stringify(message)}\n`);
  }
}

/** Of a request: most clients write the id before everything that can be long. Without it the sender would wait for ever. */
function readId(start: string): string | number | null {
  const [, members] = /^\s*\{((?:\s*"(?:jsonrpc|id|method)"\s*:\s*(?:"[^"\\]*"|-?\d+)\s*,)+)/.exec(start) ?? [];
  if (members === undefined) return null;
  const { id, method } = JSON.parse(`{${members.trimEnd().slice(0, -1)}}`) as Message;
  return typeof method === "string" && isId(id) ? id : null;
}

function isId(id: unknown): id is string | number | null {
  return typeof id === "string" || typeof id === "number" || id === null;
}
