// Makes the entry of an event that was copied from another register. Output of a terminal is stored where the terminal has it, as it was there.
import { isJsonObject, type PortableEvent } from "@signalbox/protocol";
import { parseSource } from "../log/long-text.ts";
import { outputKind, type PendingEntry, readLogged } from "./entry-queue.ts";

export function entryOfCopy(threadId: string, { ts, kind, payload, refs, blobs }: PortableEvent): PendingEntry {
  const texts = refs.flatMap((ref, index) => {
    const blob = blobs[index];
    return blob?.bytes === undefined ? [] : [{ ref, hash: blob.hash, bytes: blob.bytes }];
  });
  const source = { json: payload, refs, texts };
  const value = parseSource(source);
  const [long] = texts;
  if (kind === outputKind && isJsonObject(value) && typeof value.terminal_id === "string") {
    const { terminal_id: terminalId, chunks } = value;
    const text = long?.ref === "/text" ? Buffer.from(long.bytes).toString("utf8") : value.text;
    const count = typeof chunks === "number" ? chunks : 1;
    if (typeof text === "string") return { form: "output", threadId, ts, terminalId, text, count };
  }
  return { form: "event", threadId, ts, kind, source, value, update: readLogged(kind, value) };
}
