import { Store } from "@signalbox/react";

// Text that goes into the prompt of a thread that is being written, after what is there.

interface DraftAddition {
  readonly threadId: string;
  readonly text: string;
}

export const draftAdditions = new Store<DraftAddition | null>(null);

export function addToDraft(threadId: string, text: string): void {
  draftAdditions.set({ threadId, text });
  draftAdditions.set(null);
}

export function quoteInDraft(threadId: string, text: string): void {
  const lines = text.trimEnd().split("\n");
  addToDraft(threadId, `${lines.map((line) => `> ${line}`.trimEnd()).join("\n")}\n\n`);
}
