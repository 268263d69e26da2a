// MCP over the pipes of a program: one JSON message a line. Junk lines are passed over; a line that never ends is the end.
import {
  deserializeMessage,
  type JSONRPCMessage,
  serializeMessage,
  type Transport,
} from "@modelcontextprotocol/client";
import type { Program } from "../tools/workspace.ts";

const longestLine = 32_000_000;

/** As MCP says: the end of stdin, then SIGTERM, then SIGKILL, with this much time (ms) for the first two. */
const patience = 2000;

export class StdioTransport implements Transport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: Transport["onmessage"];

  readonly #program: Program;
  readonly #patience: number;
  #line: Buffer[] = [];
  #length = 0;
  #closing: Promise<void> | undefined;

  constructor(program: Program, patienceMs = patience) {
    this.#program = program;
    this.#patience = patienceMs;
  }

  async start(): Promise<void> {
    this.#program.stdout.on("data", (chunk: Buffer) => this.#take(chunk));
    void this.#program.ended.then(() => this.onclose?.());
  }

  send(message: JSONRPCMessage): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#program.stdin.write(serializeMessage(message), (error) => (error ? reject(error) : resolve()));
    });
  }

  close(): Promise<void> {
    this.#closing ??= this.#stop();
    return this.#closing;
  }

  async #stop(): Promise<void> {
    const { stdin, ended } = this.#program;
    stdin.end();
    if (await endsWithin(ended, this.#patience)) return;
    this.#program.terminate();
    if (await endsWithin(ended, this.#patience)) return;
    this.#program.kill();
    await ended;
  }

  #take(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(0x0a); end !== -1; end = chunk.indexOf(0x0a, start)) {
      this.#line.push(chunk.subarray(start, end));
      this.#read(Buffer.concat(this.#line).toString("utf8"));
      this.#line = [];
      this.#length = 0;
      start = end + 1;
    }
    if (start === chunk.length) return;
    this.#line.push(chunk.subarray(start));
    this.#length += chunk.length - start;
    if (this.#length <= longestLine) return;
    this.#line = [];
    this.#length = 0;
    this.onerror?.(new Error(`it sent a message of more than ${longestLine / 1_000_000} MB`));
    this.#program.kill();
  }

  #read(line: string): void {
    if (!line.startsWith("{")) return;
    let message: JSONRPCMessage;
    try {
      message = deserializeMessage(line);
    } catch {
      return; // no message of MCP
    }
    this.onmessage?.(message);
  }
}

async function endsWithin(ended: Promise<unknown>, milliseconds: number): Promise<boolean> {
  const { promise: over, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(false), milliseconds);
  const result = await Promise.race([ended.then(() => true), over]);
  clearTimeout(timer);
  return result;
}
