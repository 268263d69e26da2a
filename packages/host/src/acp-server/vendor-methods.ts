// Passes on to an agent what a client asks in a method that is not ACP's own (`_vendor/...`), and its answer.
import { isJsonObject, type Json, type JsonObject } from "@signalbox/protocol";
import { HostError } from "../data/host-error.ts";
import type { AcpServices } from "./acp-services.ts";
import { badParams, toRequestError } from "./request-errors.ts";

export interface VendorMessage {
  readonly method: string;
  readonly params: JsonObject;
  /** Undefined for a notification. */
  readonly id?: Json;
}

/** Signalbox keeps account of what is steered into a turn, so it goes another way. */
const ownMethods: ReadonlySet<string> = new Set(["_session/steering"]);

/** Null for anything else than a request or a notification that goes to an agent. */
export function vendorMessageIn(message: Json): VendorMessage | null {
  if (!isJsonObject(message)) return null;
  const { method, params, id } = message;
  if (typeof method !== "string" || !method.startsWith("_") || ownMethods.has(method)) return null;
  return { method, params: isJsonObject(params) ? params : {}, ...(id === undefined ? {} : { id }) };
}

/** The answer as a frame; null for a notification. The agent is started where it is not running. */
export async function passOn(
  { sessions }: Pick<AcpServices, "sessions">,
  { method, params, id }: VendorMessage,
  attached: readonly string[],
): Promise<object | null> {
  try {
    const threadId = threadOf(params, attached);
    if (sessions.running(threadId) === null && id !== undefined) await sessions.resume(threadId);
    const agentSide = sessions.running(threadId)?.agentSide;
    if (id === undefined) {
      await agentSide?.notifyVendor(method, params);
      return null;
    }
    if (agentSide === undefined) throw new HostError("unavailable", "The agent of this session is not running.");
    const result = await agentSide.askVendor(method, params);
    const isNamed = isJsonObject(result) && result.sessionId === agentSide.sessionId;
    return { jsonrpc: "2.0", id, result: isNamed ? { ...result, sessionId: threadId } : result };
  } catch (error) {
    if (id === undefined) return null;
    const { code, message, data } = toRequestError(error);
    return { jsonrpc: "2.0", id, error: { code, message, ...(data === undefined ? {} : { data }) } };
  }
}

/** The session that is named; without a name, the only one. */
function threadOf({ sessionId }: JsonObject, attached: readonly string[]): string {
  if (typeof sessionId === "string") return sessionId;
  const [only, ...others] = attached;
  if (only === undefined || others.length > 0)
    throw badParams("Signalbox passes this on to the agent of a session: name it in sessionId.");
  return only;
}
