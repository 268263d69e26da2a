// Transports MCP over the pipes of a program, one JSON message per line. Other lines are skipped; a line that is too long ends the program.
import { setImmediate as turn } from "node:timers/promises";
import {
  deserializeMessage,
  type JSONRPCMessage,
  serializeMessage,
  type Transport,
} from "@modelcontextprotocol/client";
import type { Program } from "@signalbox/agent-kit";
import { LineSplitter } from "@signalbox/sandbox/lines";

const maxLineBytes = 32_000_000;

/** To stop a server, MCP asks for the end of stdin, then SIGTERM, then SIGKILL. This is the time for each of the first two. */
const stopTimeoutMs = 2000;
/** How long the rest of the output may take after the program has ended. */
const outputTimeoutMs = 1000;

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
    const read = this.#readLines();
    void ended
      .then(() => waitForEnd(read, outputTimeoutMs))
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
    if (await waitForEnd(ended, stopTimeoutMs)) return;
    this.#program.terminate();
    if (await waitForEnd(ended, stopTimeoutMs)) return;
    this.#program.kill();
    await ended;
  }

  /** Reads no faster than messages are handled, so that a flood fills the server's pipe and not our memory. */
  async #readLines(): Promise<void> {
    const lines: (string | Error)[] = [];
    const splitter = new LineSplitter(
      maxLineBytes,
      (line) => lines.push(line.toString("utf8")),
      () => lines.push(new Error(`it sent a message of more than ${maxLineBytes / 1_000_000} MB`)),
    );
    try {
      for await (const chunk of this.#program.stdout as AsyncIterable<Buffer>) {
        splitter.push(chunk);
        for (const line of lines.splice(0)) {
          if (line instanceof Error) throw line;
          await this.#handleLine(line.trim());
        }
      }
    } catch (error) {
      if (this.#closing === undefined) this.onerror?.(error as Error);
      this.#program.kill();
    }
  }

  async #handleLine(line: string): Promise<void> {
    if (!line.startsWith("{")) return;
    let message: JSONRPCMessage;
    try {
      message = deserializeMessage(line);
    } catch {
      return; // not a message of MCP
    }
    this.onmessage?.(message);
    // The SDK handles notifications a moment later. Without this, an answer could end a call before its last progress is shown.
    if (!("id" in message)) await turn();
  }
}

async function waitForEnd(ended: Promise<unknown>, milliseconds: number): Promise<boolean> {
  const { promise: over, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(false), milliseconds);
  const result = await Promise.race([ended.then(() => true), over]);
  clearTimeout(timer);
  return result;
}
