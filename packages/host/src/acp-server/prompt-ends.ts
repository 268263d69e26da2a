// Waits for the ends of the prompts that one client sent to a thread.
import type { Fact, JsonObject, StopReason, TurnError } from "@signalbox/protocol";

/** How a prompt ended, for its sender. */
export type TurnEnd =
  | { readonly type: "stopped"; readonly stopReason: StopReason; readonly usage?: unknown; readonly more?: JsonObject }
  /** It waits until a person continues: the turn before it was cancelled or failed. */
  | { readonly type: "held" }
  | { readonly type: "failed"; readonly error: TurnError };

type EndFact = Extract<Fact, { type: "turn_ended" | "turn_failed" | "turn_interrupted" | "turn_removed" }>;

interface ExpectedEnd {
  turnId: string | undefined;
  isRunning: boolean;
  readonly resolve: (end: TurnEnd) => void;
  readonly reject: (error: unknown) => void;
}

export class PromptEnds {
  readonly #isHeld: (turnId: string) => Promise<boolean>;
  readonly #expected = new Map<string, ExpectedEnd>();

  constructor(isHeld: (turnId: string) => Promise<boolean>) {
    this.#isHeld = isHeld;
  }

  expect(promptId: string): Promise<TurnEnd> {
    const { promise, resolve, reject } = Promise.withResolvers<TurnEnd>();
    this.#expected.set(promptId, { turnId: undefined, isRunning: false, resolve, reject });
    return promise;
  }

  forget(promptId: string): void {
    this.#expected.delete(promptId);
  }

  queued(promptId: string, turnId: string): void {
    const expected = this.#expected.get(promptId);
    if (expected !== undefined) expected.turnId = turnId;
  }

  /** The prompt went into a running turn, so it has no end of its own. True when the client itself sent it. */
  steered(promptId: string): boolean {
    return this.#expected.delete(promptId);
  }

  /** True when the client itself sent the prompt. */
  started(turnId: string): boolean {
    const [, expected] = this.#find(turnId) ?? [];
    if (expected !== undefined) expected.isRunning = true;
    return expected !== undefined;
  }

  ended(fact: EndFact): void {
    const [promptId, expected] = this.#find(fact.turn_id) ?? [];
    if (promptId !== undefined && expected !== undefined) {
      this.#expected.delete(promptId);
      expected.resolve(readEnd(fact));
    }
    // A turn that was cancelled or failed holds back those after it.
    for (const [waitingId, waiting] of this.#expected) {
      if (!waiting.isRunning && waiting.turnId !== undefined) void this.#checkHeld(waitingId, waiting, waiting.turnId);
    }
  }

  /** Nothing more will be heard of the thread. */
  fail(error: unknown): void {
    for (const { reject } of this.#expected.values()) reject(error);
    this.#expected.clear();
  }

  /** Never rejects. */
  async #checkHeld(promptId: string, expected: ExpectedEnd, turnId: string): Promise<void> {
    try {
      if (!(await this.#isHeld(turnId)) || this.#expected.get(promptId) !== expected) return;
      expected.resolve({ type: "held" });
    } catch (error) {
      expected.reject(error);
    }
    this.#expected.delete(promptId);
  }

  #find(turnId: string): readonly [string, ExpectedEnd] | undefined {
    return [...this.#expected].find(([, expected]) => expected.turnId === turnId);
  }
}

function readEnd(fact: EndFact): TurnEnd {
  switch (fact.type) {
    case "turn_ended":
      return {
        type: "stopped",
        stopReason: fact.stop_reason,
        ...(fact.usage === undefined ? {} : { usage: fact.usage }),
        ...(fact.more === undefined ? {} : { more: fact.more }),
      };
    case "turn_failed":
      return { type: "failed", error: fact.error };
    case "turn_interrupted":
      return { type: "failed", error: { code: "unavailable", message: fact.reason } };
    case "turn_removed":
      return { type: "stopped", stopReason: "cancelled" };
  }
}
