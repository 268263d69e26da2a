// `blob.get` and its like: a range of a blob, as text when the range is whole characters, else as base64.
import type { JsonObject } from "@signalbox/protocol";
import type { BlobReader } from "../blobs/blob-reader.ts";
import { type BlobRange, RegisterError } from "../register.ts";
import { bad, numberOf, stringOf } from "./arguments.ts";

const LONGEST = 4 * 1024 * 1024;
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export class BlobQuery {
  readonly #blobs: BlobReader;

  constructor(blobs: BlobReader) {
    this.#blobs = blobs;
  }

  range(hash: string, { offset = 0, length }: { offset?: number; length?: number }): BlobRange {
    const blob = this.#blobs.byName(hash);
    if (blob === null) throw new RegisterError("not_found", `There is no blob ${hash}.`);
    const bytes = this.#blobs.range(blob, offset, offset + (length ?? blob.size));
    return { hash, size: blob.size, offset, bytes };
  }

  get(args: JsonObject): { readonly rows: readonly object[] } {
    const hash = stringOf(args, "hash");
    if (hash === null) throw bad("hash", "the hash of a blob");
    const wanted = numberOf(args, "length") ?? LONGEST;
    const range = this.range(hash, { offset: numberOf(args, "offset") ?? 0, length: Math.min(wanted, LONGEST) });
    const { size, offset, bytes } = range;
    return { rows: [{ hash, size, offset, length: bytes.length, ...encode(bytes) }] };
  }
}

function encode(bytes: Uint8Array): { readonly encoding: "utf8" | "base64"; readonly data: string } {
  try {
    return { encoding: "utf8", data: decoder.decode(bytes) };
  } catch {
    return { encoding: "base64", data: Buffer.from(bytes).toString("base64") };
  }
}
