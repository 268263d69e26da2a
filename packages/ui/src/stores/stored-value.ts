// A value that the browser keeps for this page: preferences, drafts, what was seen. Storage that is full or forbidden only means that
// it is forgotten with the page.
import { Store } from "./store.ts";

const prefix = "signalbox.";

export class StoredValue<Value> extends Store<Value> {
  readonly #name: string;

  constructor(name: string, initial: Value) {
    super(read(name) ?? initial);
    this.#name = name;
    // Another tab changed it.
    addEventListener("storage", (event) => {
      if (event.key === prefix + name) super.set(read<Value>(name) ?? initial);
    });
  }

  override set(value: Value): void {
    super.set(value);
    write(this.#name, value);
  }
}

// oxlint-disable-next-line no-unnecessary-type-parameters -- what was written under a name is what is read
export function read<Value>(name: string): Value | null {
  try {
    const text = localStorage.getItem(prefix + name);
    return text === null ? null : (JSON.parse(text) as Value);
  } catch {
    return null;
  }
}

export function write(name: string, value: unknown): void {
  try {
    if (value === null || value === "") localStorage.removeItem(prefix + name);
    else localStorage.setItem(prefix + name, JSON.stringify(value));
  } catch {
    // Full or forbidden.
  }
}
