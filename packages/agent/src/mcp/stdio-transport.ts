// MCP over the pipes of a program: one JSON message a line. Junk lines are passed over; a line that never ends is the end.
import { setImmediate as turn } from "node:timers/promises";
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
/** Milliseconds in which the rest of the output must come after the program has ended. */
const lastWords = 1000;

export class StdioTransport implements Transport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: Transport["onmessage"];

  readonly #program: Program;
  #closing: Promise<void> | undefined;

  constructor(program: Program) {
    this.#program = program;
  }

  async start(): Promise<void> {
    const { stdout, ended } = this.#program;
    const heard = this.#listen();
    void ended
      .then(() => endsWithin(heard, lastWords))
      .then(() => {
        stdout.destroy();
        this.onclose?.();
      });
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
    if (await endsWithin(ended, patience)) return;
    this.#program.terminate();
    if (await endsWithin(ended, patience)) return;
    this.#program.kill();
    await ended;
  }

  /** Reads no faster than messages are taken, so that a flood fills the server's pipe and not our memory. */
  async #listen(): Promise<void> {
    let pieces: Uint8Array[] = [];
    let length = 0;
    try {
      for await (const chunk of this.#program.stdout as AsyncIterable<Buffer>) {
        let start = 0;
        for (let end = chunk.indexOf(0x0a); end !== -1; end = chunk.indexOf(0x0a, start)) {
          pieces.push(chunk.subarray(start, end));
          await this.#take(Buffer.concat(pieces).toString("utf8"));
          pieces = [];
          length = 0;
          start = end + 1;
        }
        pieces.push(chunk.subarray(start));
        length += chunk.length - start;
        if (length > longestLine) throw new Error(`it sent a message of more than ${longestLine / 1_000_000} MB`);
      }
    } catch (error) {
      if (this.#closing === undefined) this.onerror?.(error as Error);
      this.#program.kill();
    }
  }

  async #take(line: string): Promise<void> {
    if (!line.startsWith("{")) return;
    let message: JSONRPCMessage;
    try {
      message = deserializeMessage(line);
    } catch {
      return; // no message of MCP
    }
    this.onmessage?.(message);
    // The SDK handles notifications a moment later; an answer right behind would end a call before its last progress was told.
    if (!("id" in message)) await turn();
  }
}

async function endsWithin(ended: Promise<unknown>, milliseconds: number): Promise<boolean> {
  const { promise: over, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(false), milliseconds);
  const result = await Promise.race([ended.then(() => true), over]);
  clearTimeout(timer);
  return result;
}
