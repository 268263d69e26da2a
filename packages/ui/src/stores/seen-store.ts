// Up to where each thread was looked at, for the unread marks. Kept by the browser. What happened before this browser first came here is not
// news to it.
import type { ThreadRow } from "@signalbox/protocol";
import { read, StoredValue, write } from "./stored-value.ts";

export type Seen = Readonly<Record<string, number>>;

export const seen = new StoredValue<Seen>("seen", {});

const firstVisit = read<number>("first-visit") ?? Date.now();
write("first-visit", firstVisit);

export function isNews(known: Seen, { id, last_seq, updated_at }: ThreadRow): boolean {
  const upTo = known[id];
  return upTo === undefined ? updated_at > firstVisit : upTo < last_seq;
}

export function markSeen(threadId: string, seq: number): void {
  const known = seen.get();
  if ((known[threadId] ?? -1) >= seq) return;
  // Old entries go: the newest few hundred threads are those that people look at.
  const kept = Object.entries(known).slice(-400);
  seen.set({ ...Object.fromEntries(kept), [threadId]: seq });
}
