// Parses a line of an agent, and makes what the log stores of it: `params` exactly as written (with big numbers and repeated keys), and long
// strings as references. No other file does.
import { isUtf8 } from "node:buffer";
import { isJsonObject, type Json, type JsonObject, readUpdate, type Update } from "@signalbox/protocol";
import { blobThreshold } from "../blobs/limits.ts";
import { liftLongTexts } from "./lift-long-texts.ts";
import { createReference, type LiftedText, type LogSource, liftedText, replaceValue } from "./long-text.ts";
import { findProblem } from "./message-limits.ts";

export interface AgentLine {
  /** The message. In an update, long strings of what a tool put out are reference objects; everything else is whole. */
  readonly message: JsonObject;
  /** The message as an update; null where it is none. */
  readonly update: Update | null;
  /** `params` for the log; undefined where they cannot be told apart from the rest of the line for certain. */
  readonly source: LogSource | undefined;
}

/** A worker's reading of a long line. It can be sent to another thread, with the buffer of the line. */
export type ReadLine =
  | { readonly type: "message"; readonly lifted: LogSource; readonly strings: ReadonlyMap<string, string> }
  | {
      readonly type: "refused";
      readonly problem: string;
      /** The known fields beside the params. */
      readonly head: JsonObject;
      /** The line as it came. */
      readonly text: LiftedText;
    }
  | { readonly type: "no_message"; readonly beginning: string };

/** The text of a JSON-RPC line before and after its params, and its parsed form. */
interface Envelope {
  readonly head: string;
  readonly tail: string;
  readonly headBytes: Buffer;
  readonly tailBytes: Buffer;
  readonly message: JsonObject;
}

/** Members that are no object and no list, then `"params":`. */
const headPattern = /^\s*\{(?:\s*"(?:[^"\\]|\\.)*"\s*:\s*(?:"(?:[^"\\]|\\.)*"|[\w.+-]+)\s*,)*\s*"params"\s*:\s*/;
const bodyPattern = new RegExp(headPattern.source.replace("params", "(?:params|result|error)"));
const maxHeadLength = 500;

/** The fields of an update that show what a tool put out: nothing is decided by them. */
const outputFields = /^\/params\/update\/(?:content|rawOutput|_meta)\//;

export class AgentLineParser {
  /** Of the last line: agents write all of their updates alike. */
  #envelope: Envelope | null = null;

  /** Null for a line that is no JSON object. The bytes of a long line are overwritten, and belong to its texts afterwards. */
  parse(line: Buffer): AgentLine | null {
    const lifted = line.length > blobThreshold ? liftLongTexts(line) : null;
    return this.#parse(line, lifted, decodeText);
  }

  /** The same for a line that was read by `readLongLine`. */
  parseRead({ lifted, strings }: Extract<ReadLine, { type: "message" }>): AgentLine | null {
    return this.#parse(noBytes, lifted, ({ ref }) => strings.get(ref) ?? "");
  }

  #parse(line: Buffer, lifted: LogSource | null, toString: (text: LiftedText) => string): AgentLine | null {
    const parts = this.#splitLikeLast(line, lifted?.json) ?? this.#splitAnew(lifted?.json ?? line.toString("utf8"));
    if (parts === null) return null;
    const { message, params } = parts;
    if (lifted === null || lifted.texts.length === 0) {
      return toLine(message, params === undefined ? undefined : { json: params, refs: [], texts: [] });
    }
    for (const text of wholeTexts(message, lifted)) replaceValue(message, text.ref, () => toString(text));
    const isLogged = params !== undefined && isNotification(message);
    return toLine(message, isLogged ? paramsSource(params, lifted) : undefined);
  }

  /** Null unless the same stands around the params as in the line before. `json` is a long line without its texts. */
  #splitLikeLast(line: Buffer, json: string | undefined): Split | null {
    const known = this.#envelope;
    if (known === null) return null;
    return json === undefined ? splitBytes(line, known) : splitText(json, known);
  }

  #splitAnew(json: string): Split | null {
    const envelope = readEnvelope(json);
    const parts = envelope === null ? null : splitText(json, envelope);
    if (parts !== null) this.#envelope = envelope;
    return parts ?? unsplit(json);
  }
}

const noBytes = Buffer.alloc(0);
/** Enough of what is no message for an error text. */
const beginningBytes = 4096;

/** Reads a long line, away from the thread that has other things to do. Its bytes are overwritten, and belong to its texts afterwards. */
export function readLongLine(line: Buffer): ReadLine {
  const problem = findProblem(line);
  if (problem !== undefined) {
    const bytes = isUtf8(line) ? line : Buffer.from(line.toString("utf8"), "utf8");
    return { type: "refused", problem, head: readHead(line), text: liftedText("", bytes) };
  }
  const beginning = line.toString("utf8", 0, beginningBytes);
  const lifted = liftLongTexts(line) ?? { json: line.toString("utf8"), refs: [], texts: [] };
  const message = parseObject(lifted.json);
  if (message === null) return { type: "no_message", beginning };
  const strings = new Map(wholeTexts(message, lifted).map((text) => [text.ref, decodeText(text)]));
  // An answer or a request is not logged as it came.
  const texts = isNotification(message) ? lifted.texts : lifted.texts.map((text) => ({ ...text, bytes: noBytes }));
  return { type: "message", lifted: { ...lifted, texts }, strings };
}

/** A line that was refused, as the log has it: one text. */
export function sourceOfLine(text: LiftedText): LogSource {
  return { json: JSON.stringify(createReference(text.hash, text.bytes.length)), refs: [text.ref], texts: [text] };
}

/** Reads the fields before the params, the result or the error of a message that is not parsed; empty if that is not certain. */
function readHead(line: Buffer): JsonObject {
  const [head] = bodyPattern.exec(line.toString("utf8", 0, maxHeadLength)) ?? [];
  return (head === undefined ? null : parseObject(`${head}null}`)) ?? {};
}

function toLine(message: JsonObject, source: LogSource | undefined): AgentLine {
  return { message, update: isUpdate(message) ? readUpdate(message.params) : null, source };
}

function isNotification(message: JsonObject): boolean {
  return typeof message.method === "string" && !("id" in message);
}

function isUpdate(message: JsonObject): boolean {
  return message.method === "session/update" && isNotification(message);
}

/** The texts that the message has as strings. */
function wholeTexts(message: JsonObject, { texts }: LogSource): readonly LiftedText[] {
  return isUpdate(message) ? texts.filter(({ ref }) => !outputFields.test(ref)) : texts;
}

/** A message, and the text of its params where that is certain. */
interface Split {
  readonly message: JsonObject;
  readonly params: string | undefined;
}

function unsplit(json: string): Split | null {
  const message = parseObject(json);
  return message === null ? null : { message, params: undefined };
}

function splitText(json: string, envelope: Envelope): Split | null {
  const { head, tail } = envelope;
  if (!json.startsWith(head) || !json.endsWith(tail)) return null;
  return fill(envelope, json.slice(head.length, json.length - tail.length));
}

/** The same for bytes: most lines are short and come by the hundred thousand, and only their params become a string. */
function splitBytes(line: Buffer, envelope: Envelope): Split | null {
  const { headBytes, tailBytes } = envelope;
  const end = line.length - tailBytes.length;
  if (end <= headBytes.length || !hasAt(line, 0, headBytes) || !hasAt(line, end, tailBytes)) return null;
  return fill(envelope, line.toString("utf8", headBytes.length, end));
}

function hasAt(line: Buffer, at: number, bytes: Buffer): boolean {
  for (let index = 0; index < bytes.length; index++) if (line[at + index] !== bytes[index]) return false;
  return true;
}

/** Both parts of the line are parsed on their own, so the split is certain to be right; null when the params are no object. */
function fill({ message }: Envelope, params: string): Split | null {
  const value = parseObject(params);
  return value === null ? null : { message: { ...message, params: value }, params };
}

function readEnvelope(json: string): Envelope | null {
  const [head] = headPattern.exec(json.slice(0, maxHeadLength)) ?? [];
  const end = head === undefined ? null : endOfObject(json, head.length);
  if (head === undefined || end === null) return null;
  const tail = json.slice(end);
  const message = parseObject(`${head}null${tail}`);
  // Where `params` occurs twice, the last one counts, and this is not it.
  if (message === null || message.params !== null) return null;
  return { head, tail, headBytes: Buffer.from(head), tailBytes: Buffer.from(tail), message };
}

/** After the bracket that closes the object at `start`; null when there is none. */
function endOfObject(json: string, start: number): number | null {
  const tokens = /"(?:[^"\\]|\\.)*"|[[\]{}]/g;
  tokens.lastIndex = start;
  let depth = 0;
  for (let token = tokens.exec(json); token !== null; token = tokens.exec(json)) {
    if (token[0] === "{" || token[0] === "[") depth++;
    else if (token[0] === "}" || token[0] === "]") depth--;
    if (depth === 0) return tokens.lastIndex;
  }
  return null;
}

/** The texts of a line as those of its params. A text beside them cannot be: the head and the tail are short. */
function paramsSource(json: string, { texts }: LogSource): LogSource {
  const inside = texts.map((text) => ({ ...text, ref: text.ref.slice("/params".length) }));
  return { json, refs: inside.map(({ ref }) => ref), texts: inside };
}

function decodeText({ bytes }: LiftedText): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("utf8");
}

function parseObject(json: string): JsonObject | null {
  try {
    const value: Json = JSON.parse(json);
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
}
