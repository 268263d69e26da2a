// Shows the wait before a request is sent again as a call with the seconds that are left. One call covers all tries of a request.
import { randomUUID } from "node:crypto";
import { progressMetaKey, type RunningToolCall, type ToolCallTracker, textContent } from "@signalbox/tool-calls";
import type { ModelEvent } from "../providers/model.ts";

type Retry = Extract<ModelEvent, { type: "retry" }>;

const stepMs = 1000;

/** Shows how a wait goes on: in words in the title, and for programs in `_meta`. */
export function waiting(title: string, progress: Progress): Parameters<RunningToolCall["update"]>[0] {
  return { title: `${title}: ${progress.message}`, meta: { [progressMetaKey]: progress } };
}

interface Progress {
  readonly progress: number;
  readonly total?: number;
  readonly message: string;
}

export class RetryCountdown {
  readonly #tracker: Pick<ToolCallTracker, "announce">;
  readonly #title: string;
  readonly #signal: AbortSignal;
  #call: RunningToolCall | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(tracker: Pick<ToolCallTracker, "announce">, provider: string, signal: AbortSignal) {
    this.#tracker = tracker;
    this.#title = `Waiting for ${provider}`;
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
      const progress = Math.min(total, total - Math.max(0, left));
      this.#call?.update(waiting(this.#title, { progress, total, message }));
    };
    show();
    this.#timer = setInterval(show, stepMs);
  }

  /** The provider answers. */
  end(text: string): void {
    clearInterval(this.#timer);
    this.#call?.complete({ title: this.#title, content: [textContent(text)] });
    this.#call = undefined;
  }

  /** No more tries are made. */
  fail(text: string): void {
    clearInterval(this.#timer);
    this.#call?.fail(text, { title: this.#title });
    this.#call = undefined;
  }

  #announce(): RunningToolCall | undefined {
    const call = this.#tracker
      .announce({
        id: `retry_${randomUUID()}`,
        name: "retry",
        title: this.#title,
        kind: "other",
        signal: this.#signal,
      })
      .start();
    return call.status === "in_progress" ? call : undefined;
  }
}
