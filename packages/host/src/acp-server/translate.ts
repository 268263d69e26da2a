// Translates events of the log into what an ACP v1 client gets. This is the one place that knows both; another version of ACP would be
// another file like this.
import {
  type ContentBlock,
  type Fact,
  isFact,
  isTextBlock,
  type Json,
  type JsonObject,
  makeChunk,
  makeToolCall,
  readUpdate,
  replaceText,
  type ToolCallFields,
  type Update,
} from "@signalbox/protocol";
import type { LogEvent, SentPayload } from "@signalbox/tinyvex";
import type { ClientUpdates } from "./client-updates.ts";
import type { Position } from "./position.ts";
import { withSessionId } from "./session-id.ts";

const factPrefix = "signalbox/";
/** An agent that used the name of a fact is logged under this. */
const disguised = `agent/${factPrefix}`;

/** A notification for the client, and how far it has read with it. */
interface Notification {
  readonly method: string;
  /** JSON text, the session id in it. */
  readonly params: string;
  readonly position: Position;
  /** The thread's id of the tool call that it is about; null where it is about none. */
  readonly toolCallId: string | null;
}

type SentParams =
  | SentUpdate
  /** Params of a vendor's notification. */
  | { readonly json: string; readonly isUpdate: false };

interface SentUpdate {
  readonly json: string;
  readonly isUpdate: true;
  readonly update: WellFormedUpdate;
}

type WellFormedUpdate = Exclude<Update, { type: "malformed" }>;

/** The fact that an event records; null for what an agent sent. */
export function readFact({ kind, sent }: LogEvent): Fact | null {
  if (!kind.startsWith(factPrefix)) return null;
  const payload = sent?.[0] === undefined ? null : parse(sent[0].json);
  return isFact(payload) ? payload : null;
}

/** What an agent sent, as it sent it where the client knows it. `from` is where in the event's text the client goes on. */
export function sentNotifications(
  threadId: string,
  event: LogEvent,
  updates: ClientUpdates,
  from = 0,
): readonly Notification[] {
  const { seq, kind, sent } = event;
  if (kind.startsWith(factPrefix) || sent === null) return [];
  return sent.flatMap((piece, index) => {
    const isLast = index === sent.length - 1;
    const params = readNewParams(piece, kind, from);
    if (params === null) return [];
    const position = isLast ? { seq } : { seq, offset: piece.end };
    if (!params.isUpdate) {
      const json = withSessionId(params.json, threadId);
      return [{ method: nameMethod(kind), params: json, position, toolCallId: null }];
    }
    const translated = translatedParams(threadId, params, updates);
    if (translated === null) return [];
    const toolCallId = params.update.type === "tool_call" ? updates.callId(params.update) : null;
    return [{ method: "session/update", params: translated, position, toolCallId }];
  });
}

/** The prompt of a turn, for clients that did not send it. */
export function promptUpdates(turnId: string, prompt: readonly ContentBlock[]): readonly JsonObject[] {
  return prompt.map((content) => ({ ...makeChunk("user_message_chunk", content, turnId), _meta: hostMeta }));
}

/** A call that was never announced: the host made it to ask, or the agent only asked about it. */
export function announcement(toolCall: ToolCallFields): JsonObject {
  const { title = "Tool call", status = "pending" } = toolCall;
  return makeToolCall({ ...toolCall, title, status, _meta: hostMeta });
}

/** An update of the host, as the text of params. */
export function hostUpdate(sessionId: string, update: JsonObject): string {
  return JSON.stringify({ sessionId, update });
}

const hostMeta = { "signalbox/host": true };

/** Null where the client gets nothing of it. */
function translatedParams(threadId: string, { json, update }: SentUpdate, updates: ClientUpdates): string | null {
  const translated = updates.translate(update);
  switch (translated.type) {
    case "as_sent":
      return withSessionId(json, translated.sessionId, translated.inUpdate);
    case "instead":
      return JSON.stringify({ ...update.raw, sessionId: threadId, update: translated.update });
    case "nothing":
      return null;
  }
}

/** As the register writes an event that it merged from several; an agent's own field of that name stands elsewhere, or is less. */
const isMerged = /,"chunks":(?:[2-9]|[1-9]\d+)\}$/;

/** The params of a piece, without what the client has; null where it has all of it. Merged chunks get the shape that the agent sent. */
function readNewParams({ json, end }: SentPayload, kind: string, from: number): SentParams | null {
  const update = readUpdate(parse(json));
  if (update.type === "malformed" || update.kind !== nameMethod(kind)) return { json, isUpdate: false };
  // Pieces that come live are as they were sent: a client that goes on inside of an event reads the log.
  const isWhole = end > 0 || (from === 0 && !isMerged.test(json));
  if (isWhole || update.type !== "message_chunk" || !isTextBlock(update.content))
    return { json, isUpdate: true, update };
  const rest = update.content.text.slice(from);
  if (from > 0 && rest === "") return null;
  const chunk = replaceText(update, rest);
  const { chunks: _, ...others } = chunk.raw;
  const raw = isMerged.test(json) ? others : chunk.raw;
  return { json: JSON.stringify(raw), isUpdate: true, update: { ...chunk, raw } };
}

function nameMethod(kind: string): string {
  return kind.startsWith(disguised) ? kind.slice("agent/".length) : kind;
}

function parse(json: string): Json {
  return JSON.parse(json);
}
