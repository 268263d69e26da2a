// Keeps what a person sends into a running turn until the next request to the model.
import type { UserPart } from "../providers/model.ts";

type Text = readonly UserPart[];

export class Steering {
  #waiting: Text[] = [];
  #isOpen = false;

  /** A turn begins that takes text. */
  open(): void {
    this.#isOpen = true;
  }

  /** False when no turn could take it. */
  add(text: Text): boolean {
    if (this.#isOpen) this.#waiting.push(text);
    return this.#isOpen;
  }

  removeAll(): readonly Text[] {
    return this.#waiting.splice(0);
  }

  /** True where nothing waits: the turn is over then, and takes no more. */
  closeIfEmpty(): boolean {
    if (this.#waiting.length > 0) return false;
    this.#isOpen = false;
    return true;
  }

  /** The turn is over. Gives what it did not take. */
  close(): readonly Text[] {
    this.#isOpen = false;
    return this.removeAll();
  }
}
