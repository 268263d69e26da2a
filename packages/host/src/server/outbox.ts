// Sends to one screen and knows when too much is unread. Nothing is refused here: screens and subscriptions wait while it is full.
import { guard } from "@signalbox/base";
import type { WebSocket } from "ws";

const fullBytes = 4 * 1024 * 1024;
const drainedBytes = 256 * 1024;

const internalError = 1011;

/** A handler of one connection. An error in it closes that connection, so that the client connects again, and nothing else. */
export function guardSocket<Given extends readonly unknown[]>(
  socket: WebSocket,
  handle: (...given: Given) => unknown,
): (...given: Given) => void {
  return guard(() => socket.close(internalError, "Signalbox failed here: connect again."), handle);
}

export class Outbox {
  readonly #socket: WebSocket;
  #waiting: (() => void)[] = [];

  constructor(socket: WebSocket) {
    this.#socket = socket;
  }

  get isFull(): boolean {
    return this.#socket.bufferedAmount > fullBytes;
  }

  send(text: string): void {
    this.#socket.send(
      text,
      guardSocket(this.#socket, () => this.#drain()),
    );
  }

  /** As `guardSocket`. */
  guard<Given extends readonly unknown[]>(handle: (...given: Given) => unknown): (...given: Given) => void {
    return guardSocket(this.#socket, handle);
  }

  /** Calls back when the screen has read what was sent. */
  onceDrained(callback: () => void): void {
    this.#waiting.push(callback);
    this.#drain();
  }

  #drain(): void {
    if (this.#waiting.length === 0 || this.#socket.bufferedAmount > drainedBytes) return;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const callback of waiting) callback();
  }
}
