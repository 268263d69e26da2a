import { Store } from "@signalbox/react";

// Which cards a person opened or closed. Stored outside the cards, because a card that scrolls away is removed from the document.

type OpenItems = ReadonlyMap<string, boolean>;

export const openItems = new Store<OpenItems>(new Map());

export function setOpen(key: string, isOpen: boolean): void {
  openItems.set(new Map(openItems.get()).set(key, isOpen));
}
