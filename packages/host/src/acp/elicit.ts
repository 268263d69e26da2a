// This module reads `elicitation/create` as the agent sent it (the SDK would drop unknown fields of the form) and gives the answer in ACP.
import type { CreateElicitationResponse } from "@agentclientprotocol/sdk";
import { isJsonObject, type Json } from "@signalbox/protocol";
import { deniedByKey } from "@signalbox/tool-calls";
import type { ElicitationAnswer, ElicitationQuestion } from "../permissions/elicitation-broker.ts";
import type { ThreadContext } from "./thread-context.ts";

/** Every screen draws all of them. */
const maxFields = 200;

type AskedElicitation = Omit<ElicitationQuestion, "threadId">;

/** A string says what is wrong with it. */
export function readElicitation(params: unknown): AskedElicitation | string {
  if (!isJsonObject(params)) return "the params must be an object";
  const { mode, message, requestedSchema, url, elicitationId, toolCallId } = params;
  if (typeof message !== "string") return "message must be a text";
  const shared = { message, toolCallId: textOrNull(toolCallId) };
  if (mode === "form") {
    if (!isJsonObject(requestedSchema)) return "requestedSchema must be an object";
    const { properties } = requestedSchema;
    const count = isJsonObject(properties) ? Object.keys(properties).length : 0;
    if (count > maxFields) return `the form has ${count} fields; a person can be asked for at most ${maxFields}`;
    return { ...shared, mode, schema: requestedSchema, url: null, agentsId: null };
  }
  if (mode === "url") {
    if (typeof url !== "string") return "url must be a text";
    return { ...shared, mode, schema: null, url, agentsId: textOrNull(elicitationId) };
  }
  return "the mode must be form or url";
}

export async function elicit(
  { elicitations, place }: ThreadContext,
  asked: AskedElicitation,
  signal: AbortSignal,
): Promise<CreateElicitationResponse> {
  return makeResponse(await elicitations.ask({ ...asked, threadId: place.threadId }, signal));
}

function makeResponse({ status, content, decided_by }: ElicitationAnswer): CreateElicitationResponse {
  const hasNoPerson = decided_by === "command" || decided_by === "timeout";
  switch (status) {
    case "accepted":
      return content === null
        ? { action: "accept" }
        : { action: "accept", content: content as Record<string, string | number | boolean | string[]> };
    case "declined":
      return { action: "decline" };
    case "cancelled":
      return { action: "cancel", ...(hasNoPerson ? { _meta: { [deniedByKey]: decided_by } } : {}) };
  }
}

function textOrNull(value: Json | undefined): string | null {
  return typeof value === "string" ? value : null;
}
