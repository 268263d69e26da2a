// A value that is stored in the browser. Where storage is full or blocked, it lasts until the page closes.
import { Store } from "@signalbox/react";

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

// oxlint-disable-next-line no-unnecessary-type-parameters -- the type written under a name is the type read
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
    // Storage is full or blocked.
  }
}
