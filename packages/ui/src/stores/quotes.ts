import { Store } from "@signalbox/react";

// Text that goes into the prompt of a thread as a quotation.

interface Quote {
  readonly threadId: string;
  readonly text: string;
}

export const quotes = new Store<Quote | null>(null);

export function quoteInDraft(threadId: string, text: string): void {
  const lines = text.trimEnd().split("\n");
  quotes.set({ threadId, text: `${lines.map((line) => `> ${line}`.trimEnd()).join("\n")}\n\n` });
  quotes.set(null);
}
