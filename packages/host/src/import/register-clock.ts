// The register's clock, which an import can set for the moment in which it hands an entry over: what is imported keeps the
// time at which it happened, and everything else the time it is.
export class RegisterClock {
  #at: number | null = null;

  /** For `openRegister`. */
  readonly now = (): number => this.#at ?? Date.now();

  /** `work` must hand over what it has to before it returns: the register reads the clock when it takes an entry. */
  at<Result>(time: number, work: () => Result): Result {
    this.#at = time;
    try {
      return work();
    } finally {
      this.#at = null;
    }
  }
}
