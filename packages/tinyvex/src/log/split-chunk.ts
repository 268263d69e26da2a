// Splits a very long chunk of an agent's text into many. The register joins chunks anyway, and a text that comes in parts is stored in parts.
import { setImmediate } from "node:timers/promises";
import { type JsonObject, type MessageChunk, replaceText, type Update } from "@signalbox/protocol";
import type { AgentLine } from "./agent-line.ts";
import type { LogSource } from "./long-text.ts";

/** A shorter one is stored in little time as it is. */
const longBytes = 1024 * 1024;
/** As much as the register joins into one event. */
const partBytes = 48 * 1024;
const textRef = "/update/content/text";

/** Stores the long texts of a line with `stage`, and gives the line; a long chunk of text in parts, with pauses for others. */
export async function* stagedParts(
  line: AgentLine,
  stage: (update: Update | null, source: LogSource) => Promise<void>,
): AsyncGenerator<AgentLine> {
  const parts = splitChunk(line);
  if (parts === null) {
    if (line.source !== undefined) await stage(line.update, line.source);
    yield line;
    return;
  }
  for (const part of parts) {
    yield part;
    await setImmediate();
  }
}

/** The parts of a line that is a long chunk; null for any other line. */
export function splitChunk({ message, update, source }: AgentLine): Iterable<AgentLine> | null {
  const [text, ...others] = source?.texts ?? [];
  if (update?.type !== "message_chunk" || update.content.type !== "text") return null;
  if (text?.ref !== textRef || others.length > 0 || text.bytes.length < longBytes) return null;
  return splitParts(text.bytes, (part) => withPart(message, replaceText(update, part)));
}

function withPart(message: JsonObject, update: MessageChunk): AgentLine {
  return { message: { ...message, params: update.raw }, update, source: undefined };
}

/** No part ends inside of a character. */
function* splitParts(bytes: Uint8Array, lineWith: (text: string) => AgentLine): Generator<AgentLine> {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  for (let start = 0; start < bytes.length; start += partBytes)
    yield lineWith(decoder.decode(bytes.subarray(start, start + partBytes), { stream: true }));
}
