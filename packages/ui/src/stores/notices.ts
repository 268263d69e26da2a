import { Store } from "@signalbox/react";

// Messages of actions that have no place of their own to show them, such as a menu command: errors, and what can be undone.

interface Notice {
  readonly id: number;
  readonly text: string;
  readonly undo: (() => void) | undefined;
  readonly isProblem: boolean;
}

export const notices = new Store<readonly Notice[]>([]);
let lastId = 0;

export function showNotice(text: string, undo?: () => void, isProblem = undo === undefined): void {
  const others = notices.get().filter((notice) => notice.text !== text);
  notices.set([...others, { id: ++lastId, text, undo, isProblem }]);
}

export function dismiss(id: number): void {
  notices.set(notices.get().filter((notice) => notice.id !== id));
}
