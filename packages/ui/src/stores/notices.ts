// Words for the person about something that was asked for from a place that shows none of its own, such as a menu. They stay until read.
import { Store } from "./store.ts";

export interface Notice {
  readonly id: number;
  readonly text: string;
}

export const notices = new Store<readonly Notice[]>([]);
let last = 0;

export function tell(text: string): void {
  notices.set([...notices.get().filter((notice) => notice.text !== text), { id: ++last, text }]);
}

export function dismiss(id: number): void {
  notices.set(notices.get().filter((notice) => notice.id !== id));
}
