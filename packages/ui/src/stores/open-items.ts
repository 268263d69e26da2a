// Which cards a person opened or closed. Kept outside the cards, because a card that scrolls away is no longer in the document.
import { Store } from "./store.ts";

type OpenItems = ReadonlyMap<string, boolean>;

export const openItems = new Store<OpenItems>(new Map());

export function setOpen(key: string, isOpen: boolean): void {
  openItems.set(new Map(openItems.get()).set(key, isOpen));
}

/** Leaves it open, unless the person folded it. */
export function keepOpen(key: string): void {
  if (!openItems.get().has(key)) setOpen(key, true);
}
