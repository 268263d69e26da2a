// Shows the wait before a request is sent again as a call with the seconds that are left. One call covers all tries of a request.
import { randomUUID } from "node:crypto";
import { type RunningToolCall, type ToolCallTracker, textContent } from "@signalbox/tool-calls";
import type { ModelEvent } from "../providers/model.ts";

type Retry = Extract<ModelEvent, { type: "retry" }>;

const stepMs = 1000;

export class RetryCountdown {
  readonly #tracker: Pick<ToolCallTracker, "announce">;
  readonly #provider: string;
  readonly #signal: AbortSignal;
  #call: RunningToolCall | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(tracker: Pick<ToolCallTracker, "announce">, provider: string, signal: AbortSignal) {
    this.#tracker = tracker;
    this.#provider = provider;
    this.#signal = signal;
  }

  /** A wait begins. */
  begin({ waitMs, attempt, maxAttempts }: Retry): void {
    clearInterval(this.#timer);
    this.#call ??= this.#announce();
    const since = performance.now();
    const show = () => {
      const left = Math.ceil((waitMs - (performance.now() - since)) / 1000);
      const which = `try ${attempt + 1} of ${maxAttempts}`;
      const total = waitMs / 1000;
      const message = left > 0 ? `tries again in ${left} s, ${which}` : `asks again, ${which}`;
      this.#call?.progress(Math.min(total, total - Math.max(0, left)), total, message);
    };
    show();
    this.#timer = setInterval(show, stepMs);
  }

  /** The provider answers. */
  end(text: string): void {
    clearInterval(this.#timer);
    this.#call?.complete({ content: [textContent(text)] });
    this.#call = undefined;
  }

  /** No more tries are made. */
  fail(text: string): void {
    clearInterval(this.#timer);
    this.#call?.fail(text);
    this.#call = undefined;
  }

  #announce(): RunningToolCall | undefined {
    const call = this.#tracker
      .announce({
        id: `retry_${randomUUID()}`,
        name: "retry",
        title: `Waiting for ${this.#provider}`,
        kind: "other",
        signal: this.#signal,
      })
      .start();
    return call.status === "in_progress" ? call : undefined;
  }
}
