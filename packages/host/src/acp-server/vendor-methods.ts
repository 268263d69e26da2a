// Passes on to an agent what a client asks in a method that is not ACP's own (`_vendor/...`), and its answer. Both are recorded, without secrets:
// an editor may log in this way.
import { type ClientRequest, isJsonObject, type Json, type JsonObject, toFields } from "@signalbox/protocol";
import { shortenTexts } from "@signalbox/tinyvex";
import { HostError } from "../data/host-error.ts";
import { redactValue } from "../data/redact-value.ts";
import { steeringMethod } from "../sessions/session.ts";
import type { AcpServices } from "./acp-services.ts";
import { badParams, toRequestError } from "./request-errors.ts";

export interface VendorMessage {
  readonly method: string;
  readonly params: JsonObject;
  /** Undefined for a notification. */
  readonly id?: Json;
}

/** Signalbox keeps account of what is steered into a turn, so it goes another way. */
const signalboxMethods: ReadonlySet<string> = new Set([steeringMethod]);

/** Null for anything else than a request or a notification that goes to an agent. */
export function vendorMessageIn(message: Json): VendorMessage | null {
  if (!isJsonObject(message)) return null;
  const { method, params, id } = message;
  if (typeof method !== "string" || !method.startsWith("_") || signalboxMethods.has(method)) return null;
  return { method, params: toFields(params), ...(id === undefined ? {} : { id }) };
}

/** The answer as a frame; null for a notification. The agent is started where it is not running. */
export async function passOn(
  services: Pick<AcpServices, "sessions" | "register">,
  message: VendorMessage,
  attached: readonly string[],
): Promise<object | null> {
  const { id } = message;
  try {
    const result = await send(services, message, threadOf(message.params, attached));
    return id === undefined ? null : { jsonrpc: "2.0", id, result };
  } catch (error) {
    return id === undefined ? null : { jsonrpc: "2.0", id, error: errorOf(error) };
  }
}

async function send(
  { sessions, register }: Pick<AcpServices, "sessions" | "register">,
  { method, params, id }: VendorMessage,
  threadId: string,
): Promise<Json> {
  if (sessions.running(threadId) === null && id !== undefined) await sessions.resume(threadId);
  const agentSide = sessions.running(threadId)?.agentSide;
  if (agentSide === undefined) throw new HostError("unavailable", "The agent of this session is not running.");
  const start = performance.now();
  const record = (became: Pick<ClientRequest, "outcome" | "result" | "error">) => {
    const duration_ms = Math.round(performance.now() - start);
    const fact = { type: "client_request", method, params: recorded(params), ...became, duration_ms } as const;
    register.append(threadId, { type: "fact", fact });
  };
  try {
    if (id === undefined) {
      await agentSide.notifyVendor(method, params);
      record({ outcome: "sent" });
      return null;
    }
    const result = await agentSide.askVendor(method, params);
    record({ outcome: "answered", result: recorded(result) });
    return isJsonObject(result) && result.sessionId === agentSide.sessionId
      ? { ...result, sessionId: threadId }
      : result;
  } catch (error) {
    record({ outcome: "failed", error: recorded(errorOf(error)) });
    throw error;
  }
}

/** Shortened first: a very long text would take long to search. */
const recorded = (value: Json) => redactValue(shortenTexts(value));

function errorOf(error: unknown): JsonObject {
  const { code, message, data } = toRequestError(error);
  return { code, message, ...(data === undefined ? {} : { data: data as Json }) };
}

/** The session that is named; without a name, the only one. */
function threadOf({ sessionId }: JsonObject, attached: readonly string[]): string {
  if (typeof sessionId === "string") return sessionId;
  const [only, ...others] = attached;
  if (only === undefined || others.length > 0)
    throw badParams("Signalbox passes this on to the agent of a session: name it in sessionId.");
  return only;
}
