// Replaces everything that looks like a secret in an event before it leaves this machine, in its long texts too.
import { createHash } from "node:crypto";
import type { PortableBlob, PortableEvent } from "@signalbox/protocol";
import { isJsonObject, type Json } from "@signalbox/protocol";

/** Returns the text without secrets; `field` is the name of the field that has this value. */
export type Redact = (text: string, field?: string) => string;

export async function redactEvent(
  event: PortableEvent,
  redact: Redact,
  readBlob: (hash: string) => Promise<Uint8Array>,
): Promise<PortableEvent> {
  const names = new Map<string, PortableBlob>();
  for (const blob of event.blobs) names.set(blob.hash, await redactBlob(blob, redact, readBlob));
  const places = new Set(event.refs);
  const change = (value: Json, place: string, field?: string): Json => {
    if (places.has(place)) return renameBlob(value, names);
    if (typeof value === "string") return redact(value, field);
    if (Array.isArray(value)) return value.map((item, index) => change(item, `${place}/${index}`, field));
    if (!isJsonObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, inside]) => [
        // References name a long text by its path, so the keys on that path must not change.
        places.size === 0 ? redact(key) : key,
        inside === undefined ? inside : change(inside, `${place}/${toPointerStep(key)}`, key),
      ]),
    );
  };
  const value: Json = JSON.parse(event.payload);
  return { ...event, payload: JSON.stringify(change(value, "")), blobs: [...names.values()] };
}

async function redactBlob(
  blob: PortableBlob,
  redact: Redact,
  readBlob: (hash: string) => Promise<Uint8Array>,
): Promise<PortableBlob> {
  const text = Buffer.from(blob.bytes ?? (await readBlob(blob.hash))).toString("utf8");
  const bytes = Buffer.from(redact(text), "utf8");
  return { hash: createHash("sha256").update(bytes).digest("hex"), size: bytes.length, bytes };
}

function renameBlob(value: Json, names: ReadonlyMap<string, PortableBlob>): Json {
  const named = isJsonObject(value) && typeof value.$blob === "string" ? names.get(value.$blob) : undefined;
  return named === undefined ? value : { $blob: named.hash, size: named.size };
}

/** A key as a step of a JSON Pointer. */
function toPointerStep(key: string): string {
  return key.replaceAll("~", "~0").replaceAll("/", "~1");
}
