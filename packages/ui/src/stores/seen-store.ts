// Up to which event each thread was seen in this browser, for the unread marks. What is older than the first visit counts as seen.
import type { ThreadRow } from "@signalbox/protocol";
import { read, StoredValue, write } from "./stored-value.ts";

type SeenPositions = Readonly<Record<string, number>>;

export const seen = new StoredValue<SeenPositions>("seen", {});

const firstVisit = read<number>("first-visit") ?? Date.now();
write("first-visit", firstVisit);

export function isUnread(known: SeenPositions, { id, last_seq, updated_at }: ThreadRow): boolean {
  const upTo = known[id];
  return upTo === undefined ? updated_at > firstVisit : upTo < last_seq;
}

/** Its last event counts as news again. */
export function markUnread({ id, last_seq }: ThreadRow): void {
  seen.set({ ...seen.get(), [id]: last_seq - 1 });
}

export function markSeen(threadId: string, seq: number): void {
  const known = seen.get();
  if ((known[threadId] ?? -1) >= seq) return;
  // Only the newest entries are stored.
  const kept = Object.entries(known).slice(-400);
  seen.set({ ...Object.fromEntries(kept), [threadId]: seq });
}
