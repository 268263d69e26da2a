// Keeps the questions of agents that wait for an answer, of both kinds. The first answer counts; without one in time, or when the turn is
// cancelled, the question ends as its kind says: never with a yes.
import { guard } from "@signalbox/base";
import { HostError } from "../data/host-error.ts";

interface Asked<Question, Answer> {
  readonly id: string;
  readonly threadId: string;
  readonly question: Question;
  /** The answer when there is none. */
  readonly end: (why: "timeout" | "cancel") => Answer;
  /** Called once, before the answer is given. */
  readonly record: (answer: Answer) => void;
}

export interface OpenQuestion<Question, Answer> extends Asked<Question, Answer> {
  /** Does nothing when there is an answer already. Throws when the answer cannot be recorded. */
  readonly settle: (answer: Answer) => void;
}

export class OpenQuestions<Question, Answer> {
  readonly #timeoutMs: number;
  readonly #open = new Map<string, OpenQuestion<Question, Answer>>();

  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
  }

  /** Gives the answer. Rejects when it cannot be recorded: the agent must not act on an answer that is not stored. */
  add(asked: Asked<Question, Answer>, signal: AbortSignal): Promise<Answer> {
    const { id, end, record } = asked;
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    // Whoever asks may fail before it waits for the answer.
    promise.catch(() => {});
    const settle = (answer: Answer) => {
      if (!this.#open.delete(id)) return;
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
      try {
        record(answer);
      } catch (error) {
        reject(error);
        throw error;
      }
      resolve(answer);
    };
    const onAbort = guard(reject, () => settle(end("cancel")));
    const timer = setTimeout(
      guard(reject, () => settle(end("timeout"))),
      this.#timeoutMs,
    );
    this.#open.set(id, { ...asked, settle });
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort);
    return promise;
  }

  all(): readonly OpenQuestion<Question, Answer>[] {
    return [...this.#open.values()];
  }

  find(id: string): OpenQuestion<Question, Answer> | undefined {
    return this.#open.get(id);
  }

  /** Throws when the thread has no such question any more. */
  get(threadId: string, id: string): OpenQuestion<Question, Answer> {
    const open = this.#open.get(id);
    if (open?.threadId === threadId) return open;
    throw new HostError("conflict", "This question is not open any more: it was answered, or the agent withdrew it.");
  }
}
