// Makes an entry of one that breaks our code when it is stored: what came, and why it could not be.
import { messageOf } from "@signalbox/protocol";
import { createSource, parseSource } from "../log/long-text.ts";
import { outputKind, type PendingEntry } from "./entry-queue.ts";

export function toMalformed(entry: PendingEntry, error: unknown): PendingEntry {
  const { threadId, ts } = entry;
  const reason = messageOf(error);
  const kind = entry.form === "output" ? outputKind : entry.kind;
  const payload =
    entry.form === "event" ? entry.source.json : (entry.form === "chunks" && entry.source?.json) || entry.text;
  const source = createSource({ kind, reason, payload });
  return { form: "event", threadId, ts, kind: "signalbox/malformed", source, value: parseSource(source), update: null };
}
