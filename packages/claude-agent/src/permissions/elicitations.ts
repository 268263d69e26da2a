// Asks the person with forms or web pages, where the client can show them. Those of MCP servers are passed on unchanged.
import type { CreateElicitationRequest, CreateElicitationResponse, ElicitationSchema } from "@agentclientprotocol/sdk";
import { fieldsOf } from "../sdk/json.ts";
import type { OnElicitation } from "../sdk/sdk.ts";

/** What the client can show, and how it is asked. */
export interface Elicitations {
  readonly form: boolean;
  readonly url: boolean;
  readonly create: (request: CreateElicitationRequest, signal: AbortSignal) => Promise<CreateElicitationResponse>;
}

type FormAnswer =
  | { readonly type: "accept"; readonly content: Readonly<Record<string, unknown>> }
  | { readonly type: "decline" | "cancel" };

export async function askForm(
  elicitations: Elicitations,
  question: { sessionId: string; toolCallId: string; message: string; requestedSchema: ElicitationSchema },
  signal: AbortSignal,
): Promise<FormAnswer> {
  return await answered(elicitations, { mode: "form", ...question }, signal);
}

/** For the SDK: what the client cannot show is declined, and no answer is a no. */
export function elicitationCallback(sessionId: string, elicitations: Elicitations): OnElicitation {
  return async ({ message, mode = "form", url, elicitationId, requestedSchema }, { signal }) => {
    if (mode === "url" && elicitations.url && url !== undefined && elicitationId !== undefined) {
      const { type: action } = await answered(elicitations, { mode, sessionId, message, url, elicitationId }, signal);
      return { action };
    }
    if (mode !== "form" || !elicitations.form) return { action: "decline" };
    const schema = (requestedSchema ?? {}) as ElicitationSchema;
    const answer = await answered(elicitations, { mode, sessionId, message, requestedSchema: schema }, signal);
    return answer.type === "accept" ? { action: "accept", content: valuesIn(answer.content) } : { action: answer.type };
  };
}

async function answered(
  elicitations: Elicitations,
  request: CreateElicitationRequest,
  signal: AbortSignal,
): Promise<FormAnswer> {
  try {
    const answer = await elicitations.create(request, signal);
    if (answer.action === "accept") return { type: "accept", content: fieldsOf(fieldsOf(answer).content) };
    return { type: answer.action === "decline" ? "decline" : "cancel" };
  } catch {
    return { type: "cancel" };
  }
}

type Value = string | number | boolean | string[];

function valuesIn(content: Readonly<Record<string, unknown>>): Record<string, Value> {
  return Object.fromEntries(Object.entries(content).filter((entry): entry is [string, Value] => isValue(entry[1])));
}

function isValue(value: unknown): value is Value {
  if (Array.isArray(value)) return value.every((each) => typeof each === "string");
  return ["string", "number", "boolean"].includes(typeof value);
}
