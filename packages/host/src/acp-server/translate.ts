// Translates events of the log into what an ACP v1 client gets. This is the one place that knows both; another version of ACP would be
// another file like this.
import { type ContentBlock, type Fact, isFact, isJsonObject, type Json, type JsonObject } from "@signalbox/protocol";
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
}

type SentParams =
  | SentUpdate
  /** Params of a vendor's notification. */
  | { readonly json: string; readonly isUpdate: false };

interface SentUpdate {
  readonly json: string;
  readonly isUpdate: true;
  readonly params: JsonObject;
  readonly update: JsonObject;
}

/** The fact that an event records; null for what an agent sent. */
export function factOf({ kind, sent }: LogEvent): Fact | null {
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
    const params = paramsAfter(piece, kind, from);
    if (params === null) return [];
    const position = isLast ? { seq } : { seq, offset: piece.end };
    if (!params.isUpdate) return [{ method: methodOf(kind), params: withSessionId(params.json, threadId), position }];
    const translated = translatedParams(threadId, params, updates);
    return translated === null ? [] : [{ method: "session/update", params: translated, position }];
  });
}

/** The prompt of a turn, for clients that did not send it. */
export function promptUpdates(turnId: string, prompt: readonly ContentBlock[]): readonly JsonObject[] {
  return prompt.map((content) => ({
    sessionUpdate: "user_message_chunk",
    content,
    messageId: turnId,
    _meta: hostMeta,
  }));
}

/** The thread's id of the tool call that an agent's update is about; null where it is about none. */
export function announcedCall({ kind, sent }: LogEvent, updates: ClientUpdates): string | null {
  if (kind !== "tool_call" && kind !== "tool_call_update") return null;
  const params = sent?.[0] === undefined ? null : parse(sent[0].json);
  const update = isJsonObject(params) ? params.update : undefined;
  if (!isJsonObject(params) || !isJsonObject(update) || typeof update.toolCallId !== "string") return null;
  return updates.callId(params, update.toolCallId);
}

/** A call that was never announced: the host made it to ask, or the agent only asked about it. */
export function announcement(toolCall: JsonObject): JsonObject {
  const { title = "Tool call", status = "pending" } = toolCall;
  return { sessionUpdate: "tool_call", ...toolCall, title, status, _meta: hostMeta };
}

/** An update of the host, as the text of params. */
export function hostUpdate(sessionId: string, update: JsonObject): string {
  return JSON.stringify({ sessionId, update });
}

const hostMeta = { "signalbox/host": true };

/** Null where the client gets nothing of it. */
function translatedParams(
  threadId: string,
  { json, params, update }: SentUpdate,
  updates: ClientUpdates,
): string | null {
  const translated = updates.translate(params, update);
  switch (translated.type) {
    case "as_sent":
      return withSessionId(json, translated.sessionId, translated.inUpdate);
    case "instead":
      return JSON.stringify({ ...params, sessionId: threadId, update: translated.update });
    case "nothing":
      return null;
  }
}

/** As the register writes an event that it merged from several; an agent's own field of that name stands elsewhere, or is less. */
const isMerged = /,"chunks":(?:[2-9]|[1-9]\d+)\}$/;

/** The params of a piece, without what the client has; null where it has all of it. Merged chunks get the shape that the agent sent. */
function paramsAfter({ json, end }: SentPayload, kind: string, from: number): SentParams | null {
  const params = parse(json);
  const update = isJsonObject(params) ? params.update : undefined;
  if (!isJsonObject(params) || !isJsonObject(update) || update.sessionUpdate !== methodOf(kind)) {
    return { json, isUpdate: false };
  }
  const { content } = update;
  // Pieces that come live are as they were sent: a client that goes on inside of an event reads the log.
  const isWhole = end > 0 || (from === 0 && !isMerged.test(json));
  if (isWhole || !isJsonObject(content) || typeof content.text !== "string")
    return { json, isUpdate: true, params, update };
  const rest = content.text.slice(from);
  if (from > 0 && rest === "") return null;
  const restOfUpdate = { ...update, content: { ...content, text: rest } };
  const { chunks: _, ...others } = params;
  const whole = { ...(isMerged.test(json) ? others : params), update: restOfUpdate };
  return { json: JSON.stringify(whole), isUpdate: true, params: whole, update: restOfUpdate };
}

function methodOf(kind: string): string {
  return kind.startsWith(disguised) ? kind.slice("agent/".length) : kind;
}

function parse(json: string): Json {
  return JSON.parse(json);
}
