// Watches the time and the cost of one turn, and cancels it when it has too much of either.
import type { Cost } from "@signalbox/protocol";

export class TurnLimits {
  readonly #seconds: number | undefined;
  readonly #usd: number | undefined;
  #cancel: () => void = () => {};
  #timer: NodeJS.Timeout | undefined;
  #reached: string | null = null;
  #hasCost = false;

  constructor(seconds: number | undefined, usd: number | undefined) {
    this.#seconds = seconds;
    this.#usd = usd;
  }

  begin(cancel: () => void): void {
    this.#cancel = cancel;
    if (this.#seconds === undefined) return;
    this.#timer = setTimeout(
      () => this.#reach(`The turn was cancelled after --timeout ${this.#seconds} seconds.`),
      this.#seconds * 1000,
    );
  }

  /** What the turn has cost so far; null where the agent says nothing. */
  spent(cost: Cost | null): void {
    if (this.#usd === undefined || cost?.currency !== "USD") return;
    this.#hasCost = true;
    if (cost.amount < this.#usd) return;
    this.#reach(`The turn has cost $${cost.amount.toFixed(4)}: --budget ${this.#usd} is spent.`);
  }

  end(): void {
    clearTimeout(this.#timer);
  }

  /** Why the turn was cancelled; null where no limit was reached. */
  get reached(): string | null {
    return this.#reached;
  }

  /** What to say where the budget could not be watched; null where it could, or there is none. */
  get unwatched(): string | null {
    if (this.#usd === undefined || this.#hasCost) return null;
    return "The agent did not say what the turn cost in US dollars, so --budget had no effect.";
  }

  #reach(reason: string): void {
    this.#reached ??= reason;
    this.#cancel();
  }
}
