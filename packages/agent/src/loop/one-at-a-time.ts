// Runs work one after the other. The calls that change something are in such a queue, also those of sub-agents that run side by side.
import { untilAborted } from "@signalbox/tool-calls";

export class OneAtATime {
  #last: Promise<unknown> = Promise.resolve();

  /** Rejects when the signal aborts, without waiting for what runs. */
  run<Result>(work: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
    const done = this.#last.then(() => {
      signal.throwIfAborted();
      return work();
    });
    this.#last = done.catch(() => {});
    return untilAborted(done, signal);
  }
}
