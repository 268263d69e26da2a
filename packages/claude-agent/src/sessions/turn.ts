// Tracks one prompt until it ends, which happens once.
import type { TurnResult } from "../sdk/messages.ts";

/** How Claude Code left the turn: with a result, by dying, or not at all, so that no one waits for it any more. */
export type TurnOutcome =
  | { readonly type: "result"; readonly result: TurnResult }
  | { readonly type: "died"; readonly error: Error }
  | { readonly type: "given_up" };

export class Turn {
  readonly promptId = crypto.randomUUID();
  readonly ended: Promise<TurnOutcome>;
  readonly #stop = new AbortController();
  readonly #end: (outcome: TurnOutcome) => void;
  /** How Claude Code classified the last error. */
  errorKind: string | null = null;
  /** Why it was ended before its time: the person cancelled, or it cannot succeed. The first cause counts. */
  cause: "cancelled" | Error | null = null;

  constructor() {
    const { promise, resolve } = Promise.withResolvers<TurnOutcome>();
    this.ended = promise;
    this.#end = resolve;
  }

  /** Aborts when no one wants this turn any more. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** Whether it was not stopped before. */
  stop(cause: "cancelled" | Error): boolean {
    if (this.cause !== null) return false;
    this.cause = cause;
    this.#stop.abort();
    return true;
  }

  /** A result may also end a turn that Claude Code began by itself, while this prompt waits. */
  isEndedBy({ promptIds, queuedPrompts }: TurnResult): boolean {
    return promptIds.length === 0 ? queuedPrompts === 0 : promptIds.includes(this.promptId);
  }

  /** Whatever still works for it stops. */
  end(outcome: TurnOutcome): void {
    this.#end(outcome);
    this.#stop.abort();
  }
}
