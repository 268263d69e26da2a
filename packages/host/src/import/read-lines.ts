// Reads the JSON objects of a file with one per line. The file may be larger than memory, and its last line may be incomplete.
import { createReadStream } from "node:fs";
import { isJsonObject, type JsonObject } from "@signalbox/protocol";

/** Longer lines are no conversation; they are passed over. */
const maxLineBytes = 64 * 1024 * 1024;
const newline = 0x0a;

export async function* readJsonLines(file: string): AsyncGenerator<JsonObject> {
  let pieces: Buffer[] = [];
  let size = 0;
  for await (const chunk of createReadStream(file, { highWaterMark: 256 * 1024 }) as AsyncIterable<Buffer>) {
    let start = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      pieces.push(chunk.subarray(start, end));
      const line = size + end - start <= maxLineBytes ? parse(Buffer.concat(pieces)) : null;
      if (line !== null) yield line;
      pieces = [];
      size = 0;
      start = end + 1;
    }
    size += chunk.length - start;
    if (size <= maxLineBytes) pieces.push(chunk.subarray(start));
    else pieces = [];
  }
  const last = size <= maxLineBytes ? parse(Buffer.concat(pieces)) : null;
  if (last !== null) yield last;
}

function parse(line: Buffer): JsonObject | null {
  try {
    const value: unknown = JSON.parse(line.toString("utf8"));
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
}
