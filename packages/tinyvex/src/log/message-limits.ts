// Limits how much a message of an agent or of a screen may hold beside its long texts. What reads a message afterwards takes time for each of its values, and
// everything else waits meanwhile.
import { isUtf8 } from "node:buffer";
import { maxJsonDepth } from "@signalbox/protocol";
import { blobThreshold } from "../blobs/limits.ts";
import { endOfString, isDecodable, isKey } from "./lift-long-texts.ts";

/** Reading and storing so many takes about 25 ms. */
const maxValues = 50_000;
/** The length of a line without its long texts, in bytes; reading it takes about 40 ms. */
const maxLength = 4 * 1024 * 1024;

const quote = 0x22;
const comma = 0x2c;
const openArray = 0x5b;
const closeArray = 0x5d;
const openObject = 0x7b;
const closeObject = 0x7d;

/** Why a message is not read; undefined for one that is. */
export function findProblem(line: Buffer, most = { values: maxValues, length: maxLength }): string | undefined {
  const canLift = isUtf8(line);
  let values = 0;
  let depth = 0;
  let length = line.length;
  for (let at = 0; at < line.length; at++) {
    const byte = line[at];
    if (byte === quote) {
      const start = at + 1;
      const end = endOfString(line, start);
      // It is no JSON, which the parser finds.
      if (end < 0) break;
      at = end;
      if (end - start > blobThreshold && canLift && !isKey(line, end) && isDecodable(line, start, end))
        length -= end - start;
    } else if (byte === openObject || byte === openArray) {
      values++;
      if (++depth > maxJsonDepth) return `it is nested more than ${maxJsonDepth} levels deep`;
    } else if (byte === closeObject || byte === closeArray) depth--;
    else if (byte === comma && ++values > most.values)
      return `it has more than ${most.values.toLocaleString("en")} values`;
  }
  return length > most.length ? `it has more than ${most.length / 1024 / 1024} MB beside its long texts` : undefined;
}
