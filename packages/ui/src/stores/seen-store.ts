// Up to where each thread was looked at, for the unread marks. Kept by the browser; threads never opened here count as unread.
import { StoredValue } from "./stored-value.ts";

export type Seen = Readonly<Record<string, number>>;

export const seen = new StoredValue<Seen>("seen", {});

export function markSeen(threadId: string, seq: number): void {
  const known = seen.get();
  if ((known[threadId] ?? -1) >= seq) return;
  // Old entries go: the newest few hundred threads are those that people look at.
  const kept = Object.entries(known).slice(-400);
  seen.set({ ...Object.fromEntries(kept), [threadId]: seq });
}
