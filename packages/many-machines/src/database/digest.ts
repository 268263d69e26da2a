// Computes the digest of a log, event after event: two logs with the same digest at a `seq` are the same, byte for byte, up to there.
import { createHash } from "node:crypto";
import type { PortableEvent } from "@signalbox/protocol";

export const emptyDigest = Buffer.alloc(0);

export function addToDigest(before: Uint8Array, events: readonly PortableEvent[]): Buffer {
  let digest = Buffer.from(before);
  for (const { seq, ts, kind, payload, refs } of events) {
    const head = JSON.stringify([seq, ts, kind, refs]);
    digest = createHash("sha256").update(digest).update(head).update("\n").update(payload).digest();
  }
  return digest;
}
