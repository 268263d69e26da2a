// Waits for a condition that incoming messages can make true, without polling.

export class Watch {
  readonly #checks = new Set<() => void>();

  /** Checks every waiting condition. */
  notify(): void {
    for (const check of this.#checks) check();
  }

  /** Resolves with what `find` gives, now or after a later `notify`. */
  until<Found extends object | true>(find: () => Found | false | undefined): Promise<Found> {
    return new Promise((resolve) => {
      const check = () => {
        const found = find();
        if (found === undefined || found === false) return;
        this.#checks.delete(check);
        resolve(found);
      };
      this.#checks.add(check);
      check();
    });
  }
}
