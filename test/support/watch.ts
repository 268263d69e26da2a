// Waits for something in what keeps coming, and not for the clock.

export class Watch {
  readonly #looks = new Set<() => void>();

  /** Something came. */
  came(): void {
    for (const look of this.#looks) look();
  }

  /** What `find` finds, now or after something came. */
  until<Found extends object | true>(find: () => Found | false | undefined): Promise<Found> {
    return new Promise((resolve) => {
      const look = () => {
        const found = find();
        if (found === undefined || found === false) return;
        this.#looks.delete(look);
        resolve(found);
      };
      this.#looks.add(look);
      look();
    });
  }
}
