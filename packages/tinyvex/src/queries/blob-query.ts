// Reads a range of a blob: as bytes, or for `blob.get` as text when the range is whole characters, else as base64.
import type { BlobRow, QueryArgs } from "@signalbox/protocol";
import type { BlobReader } from "../blobs/blob-reader.ts";
import { type BlobRange, RegisterError } from "../register.ts";

const maxLength = 4 * 1024 * 1024;
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export function readBlobRange(
  blobs: BlobReader,
  hash: string,
  { offset = 0, length }: { offset?: number; length?: number },
): BlobRange {
  const blob = blobs.byName(hash);
  if (blob === null) throw new RegisterError("not_found", `There is no blob ${hash}.`);
  const bytes = blobs.range(blob, offset, offset + (length ?? blob.size));
  return { hash, size: blob.size, offset, bytes };
}

export function blobQuery(blobs: BlobReader) {
  return ({ hash, offset, length }: QueryArgs<"blob.get">): { readonly rows: readonly BlobRow[] } => {
    const wanted = Math.min(length ?? maxLength, maxLength);
    const { bytes, ...range } = readBlobRange(blobs, hash, { offset: offset ?? 0, length: wanted });
    return { rows: [{ ...range, length: bytes.length, ...encode(bytes) }] };
  };
}

function encode(bytes: Uint8Array): Pick<BlobRow, "encoding" | "data"> {
  try {
    return { encoding: "utf8", data: decoder.decode(bytes) };
  } catch {
    return { encoding: "base64", data: Buffer.from(bytes).toString("base64") };
  }
}
