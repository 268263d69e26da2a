// Parses a line of an agent, and makes what the log stores of it: `params` exactly as written (with big numbers and repeated keys), and long
// strings as references. No other file does.
import { isJsonObject, type Json, type JsonObject } from "@signalbox/protocol";
import { blobThreshold } from "../blobs/limits.ts";
import { liftLongTexts } from "./lift-long-texts.ts";
import { type LiftedText, type LogSource, replaceAt } from "./long-text.ts";

export interface AgentLine {
  /** The message. In an update, long strings of what a tool put out are reference objects; everything else is whole. */
  readonly message: JsonObject;
  /** `params` for the log; undefined where they cannot be told apart from the rest of the line for certain. */
  readonly source: LogSource | undefined;
}

/** What a JSON-RPC line has before and after its params, and what that parses to. */
interface Envelope {
  readonly head: string;
  readonly tail: string;
  readonly message: JsonObject;
}

/** Members that are no object and no list, then `"params":`. */
const headPattern = /^\s*\{(?:\s*"(?:[^"\\]|\\.)*"\s*:\s*(?:"(?:[^"\\]|\\.)*"|[\w.+-]+)\s*,)*\s*"params"\s*:\s*/;
const maxHeadLength = 500;

/** The fields of an update that show what a tool put out: nothing is decided by them. */
const outputFields = /^\/params\/update\/(?:content|rawOutput|_meta)\//;

export class AgentLineParser {
  /** Of the last line: agents write all of their updates alike. */
  #envelope: Envelope | null = null;

  /** Null for a line that is no JSON object. The bytes of a long line are overwritten, and belong to its texts afterwards. */
  parse(line: Buffer): AgentLine | null {
    const lifted = line.length > blobThreshold ? liftLongTexts(line) : null;
    const json = lifted?.json ?? line.toString("utf8");
    const parts = this.#split(json);
    const message = parts?.message ?? parseObject(json);
    if (message === null) return null;
    const params = parts?.params;
    if (lifted === null || lifted.texts.length === 0) {
      return { message, source: params === undefined ? undefined : { json: params, refs: [], texts: [] } };
    }
    const isUpdate = message.method === "session/update" && !("id" in message);
    const whole = lifted.texts.filter(({ ref }) => !isUpdate || !outputFields.test(ref));
    for (const text of whole) replaceAt(message, text.ref, () => stringOf(text));
    return { message, source: params === undefined || !isUpdate ? undefined : paramsSource(params, lifted) };
  }

  /** The message and the text of its params. Both parts of the line are parsed on their own, so the split is certain to be right. */
  #split(json: string): Split | null {
    const known = this.#envelope;
    const likeLast =
      known !== null && json.startsWith(known.head) && json.endsWith(known.tail) ? split(json, known) : null;
    if (likeLast !== null) return likeLast;
    const envelope = envelopeOf(json);
    if (envelope === null) return null;
    this.#envelope = envelope;
    return split(json, envelope);
  }
}

interface Split {
  readonly message: JsonObject;
  readonly params: string;
}

function split(json: string, { head, tail, message }: Envelope): Split | null {
  const params = json.slice(head.length, json.length - tail.length);
  const value = parseObject(params);
  return value === null ? null : { message: { ...message, params: value }, params };
}

function envelopeOf(json: string): Envelope | null {
  const [head] = headPattern.exec(json.slice(0, maxHeadLength)) ?? [];
  const end = head === undefined ? null : endOfObject(json, head.length);
  if (head === undefined || end === null) return null;
  const tail = json.slice(end);
  const message = parseObject(`${head}null${tail}`);
  // Where `params` occurs twice, the last one counts, and this is not it.
  return message === null || message.params !== null ? null : { head, tail, message };
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

function stringOf({ bytes }: LiftedText): string {
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
