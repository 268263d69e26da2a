// Error messages of actions that have no place of their own to show them, such as a menu command.
import { Store } from "./store.ts";

interface Notice {
  readonly id: number;
  readonly text: string;
}

export const notices = new Store<readonly Notice[]>([]);
let lastId = 0;

export function showNotice(text: string): void {
  notices.set([...notices.get().filter((notice) => notice.text !== text), { id: ++lastId, text }]);
}

export function dismiss(id: number): void {
  notices.set(notices.get().filter((notice) => notice.id !== id));
}
