// Reads the JSON objects of a file with one per line. The file may be larger than memory, and its last line may be incomplete.
import { constants } from "node:fs";
import { isJsonObject, type JsonObject } from "@signalbox/protocol";
import { LineSplitter } from "@signalbox/sandbox/lines";
import { openFile } from "@signalbox/sandbox/open-file";

/** A longer line cannot be part of a conversation and is skipped. */
const maxLineBytes = 64 * 1024 * 1024;

export async function* readJsonLines(file: string): AsyncGenerator<JsonObject> {
  let complete: Buffer[] = [];
  const lines = new LineSplitter(
    maxLineBytes,
    (line) => complete.push(line),
    () => {},
  );
  const handle = await openFile(file, constants.O_RDONLY);
  for await (const chunk of handle.createReadStream({ highWaterMark: 256 * 1024 }) as AsyncIterable<Buffer>) {
    lines.push(chunk);
    yield* complete.flatMap(parse);
    complete = [];
  }
  lines.end();
  yield* complete.flatMap(parse);
}

function parse(line: Buffer): readonly JsonObject[] {
  try {
    const value: unknown = JSON.parse(line.toString("utf8"));
    return isJsonObject(value) ? [value] : [];
  } catch {
    return [];
  }
}
