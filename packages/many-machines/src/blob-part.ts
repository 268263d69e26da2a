// A part of a blob as the answer to `blob.get`.
import type { BlobRow, QueryArgs } from "@signalbox/protocol";

const maxBytes = 4 * 1024 * 1024;
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export function makeBlobRow({ hash, offset, length }: QueryArgs<"blob.get">, bytes: Buffer): BlobRow {
  const start = offset ?? 0;
  const part = bytes.subarray(start, start + Math.min(length ?? maxBytes, maxBytes));
  return { hash, size: bytes.length, offset: start, length: part.length, ...encode(part) };
}

function encode(bytes: Buffer): Pick<BlobRow, "encoding" | "data"> {
  try {
    return { encoding: "utf8", data: decoder.decode(bytes) };
  } catch {
    return { encoding: "base64", data: bytes.toString("base64") };
  }
}
