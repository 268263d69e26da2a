// Asks the person with forms or web pages, where the client can show them. Those of MCP servers are passed on.
import {
  type AgentContext,
  type ClientCapabilities,
  type CreateElicitationRequest,
  type CreateElicitationResponse,
  type ElicitationSchema,
  methods,
} from "@agentclientprotocol/sdk";
import { unansweredByNoPerson } from "@signalbox/tool-calls";
import { createCancelOptions } from "./client-files.ts";

/** The forms that the client can show, and the function that asks. */
export interface Elicitations {
  readonly form: boolean;
  readonly url: boolean;
  readonly create: (request: CreateElicitationRequest, signal: AbortSignal) => Promise<CreateElicitationResponse>;
  /** Says that an address needs no answer any more. */
  readonly complete?: (elicitationId: string) => void;
}

export type ElicitationAnswer =
  | { readonly type: "accept"; readonly content: Readonly<Record<string, unknown>> }
  | {
      readonly type: "decline" | "cancel";
      /** The model's explanation if no person declined. */
      readonly unanswered?: string | undefined;
    };

/** Null where the client shows neither forms nor pages. */
export function clientElicitations(context: AgentContext, { elicitation }: ClientCapabilities): Elicitations | null {
  const [form, url] = [elicitation?.form, elicitation?.url].map((shown) => (shown ?? null) !== null);
  if (form !== true && url !== true) return null;
  return {
    form: form === true,
    url: url === true,
    create: async (request, signal) =>
      await context.request(methods.client.elicitation.create, request, createCancelOptions(signal)),
    complete: (elicitationId) => {
      // A client that is gone is noticed where the connection is.
      context.notify(methods.client.elicitation.complete, { elicitationId }).catch(() => {});
    },
  };
}

/** No answer is a no. */
export async function askElicitation(
  elicitations: Elicitations,
  request: CreateElicitationRequest,
  signal: AbortSignal,
): Promise<ElicitationAnswer> {
  try {
    const answer = await elicitations.create(request, signal);
    if (answer.action !== "accept")
      return { type: answer.action === "decline" ? "decline" : "cancel", unanswered: unansweredByNoPerson(answer) };
    const { content } = answer;
    return { type: "accept", content: isFields(content) ? content : {} };
  } catch {
    return { type: "cancel" };
  }
}

/** The question of an MCP server, as MCP has it. */
export interface ServerQuestion {
  readonly message: string;
  readonly mode?: "form" | "url" | undefined;
  readonly url?: string | undefined;
  readonly elicitationId?: string | undefined;
  readonly requestedSchema?: object | undefined;
}

interface ServerAnswer {
  action: "accept" | "decline" | "cancel";
  content?: Record<string, Value>;
}

/** Passes the question of an MCP server on. What the client cannot show is declined. */
export async function passElicitation(
  elicitations: Elicitations,
  scope: { readonly sessionId: string; readonly toolCallId?: string },
  { message, mode = "form", url, elicitationId, requestedSchema }: ServerQuestion,
  signal: AbortSignal,
): Promise<ServerAnswer> {
  if (mode === "url" && elicitations.url && url !== undefined && elicitationId !== undefined) {
    const { type } = await askElicitation(elicitations, { mode, ...scope, message, url, elicitationId }, signal);
    return { action: type };
  }
  if (mode !== "form" || !elicitations.form) return { action: "decline" };
  const schema = (requestedSchema ?? {}) as ElicitationSchema;
  const answer = await askElicitation(elicitations, { mode, ...scope, message, requestedSchema: schema }, signal);
  return answer.type === "accept" ? { action: "accept", content: readValues(answer.content) } : { action: answer.type };
}

type Value = string | number | boolean | string[];

function readValues(content: Readonly<Record<string, unknown>>): Record<string, Value> {
  return Object.fromEntries(Object.entries(content).filter((entry): entry is [string, Value] => isValue(entry[1])));
}

function isValue(value: unknown): value is Value {
  if (Array.isArray(value)) return value.every((each) => typeof each === "string");
  return ["string", "number", "boolean"].includes(typeof value);
}

function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
