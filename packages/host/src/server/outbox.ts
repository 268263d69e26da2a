// Sends to one screen and knows when too much is unread. Nothing is refused here: screens and subscriptions wait while it is full.
import type { WebSocket } from "ws";

const fullBytes = 4 * 1024 * 1024;
const drainedBytes = 256 * 1024;

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
    this.#socket.send(text, () => this.#drain());
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
