// Answers one checked request: refuses what the caller may not do, sends it to the machine that has its thread, or runs its handler. This is the
// only place where results and errors become messages.
import {
  type AnswerMessage,
  type CheckedQuery,
  type CheckedRequest,
  checkRequest,
  type ErrorCode,
  type ErrorMessage,
  findQuery,
  findRequest,
  messageOf,
  type QueryName,
  type RequestId,
} from "@signalbox/protocol";
import { RegisterError } from "@signalbox/tinyvex";
import type { Caller } from "../data/caller.ts";
import { HostError } from "../data/host-error.ts";
import { type HandledName, queryHandlers, requestHandlers } from "./handlers.ts";
import type { HostServices } from "./host-services.ts";

/** Throws the handler's error, or a HostError when the caller may not do this. */
export async function answerRequest(
  request: CheckedRequest<HandledName> | CheckedQuery,
  services: HostServices,
  caller: Caller,
): Promise<AnswerMessage> {
  if (request.type === "query") return await answerQuery(request, services, caller);
  refuseCaller(request, caller);
  return (await services.machines?.sendElsewhere(request)) ?? (await runRequest(request, services, caller));
}

/** Answers a request that another machine sent, errors included. */
export async function answerRemote(message: unknown, services: HostServices): Promise<AnswerMessage> {
  try {
    const request = checkRequest(message);
    if (request.type !== "request" || isSubscription(request))
      throw new HostError("bad_request", "Another machine can send only requests of a thread.");
    return await answerRequest(request, services, { type: "machine" });
  } catch (error) {
    return toErrorMessage(error, undefined);
  }
}

export function isSubscription(
  request: CheckedRequest,
): request is Exclude<CheckedRequest, CheckedRequest<HandledName>> {
  return request.name === "tvx.subscribe" || request.name === "tvx.unsubscribe";
}

async function runRequest<Name extends HandledName>(
  { id, name, params }: CheckedRequest<Name>,
  services: HostServices,
  caller: Caller,
): Promise<AnswerMessage> {
  const result = await requestHandlers[name](params, services, caller);
  const about = "thread_id" in params ? { thread_id: params.thread_id } : {};
  // The table says which answer a request gets; its result has the fields of that answer.
  return { type: findRequest(name).answer ?? "tinyvex.ok", request_id: id, ...about, ...result } as AnswerMessage;
}

async function answerQuery<Name extends QueryName>(
  { id, name, params }: CheckedQuery<Name>,
  services: HostServices,
  caller: Caller,
): Promise<AnswerMessage> {
  const { onlyThere } = findQuery(name);
  if (onlyThere !== undefined && "thread_id" in params && typeof params.thread_id === "string")
    await services.machines?.refuseElsewhere(params.thread_id, onlyThere);
  const page = await queryHandlers[name](params, services, caller);
  return { type: "tinyvex.query_result", request_id: id, name, ...page };
}

/** Throws `unauthorized` when the table of requests does not let this caller do it. */
function refuseCaller({ name, params }: CheckedRequest, caller: Caller): void {
  const { device, remote } = findRequest(name);
  if (caller.type === "machine" && remote !== true)
    throw new HostError("unauthorized", `${name} works only on the machine itself.`);
  if (caller.type !== "device" || device === undefined) return;
  const other = "device_id" in params && params.device_id !== undefined && params.device_id !== caller.deviceId;
  if (device === "never" || other)
    throw new HostError("unauthorized", "Only the computer that Signalbox runs on can do this, not a paired device.");
}

export function toErrorMessage(error: unknown, request_id: RequestId | undefined): ErrorMessage {
  const answer = { type: "tinyvex.error", request_id, message: messageOf(error) } as const;
  if (error instanceof HostError) return { ...answer, code: error.code, details: error.details };
  if (error instanceof RegisterError) return { ...answer, code: registerCodes[error.code] ?? "unavailable" };
  return { ...answer, code: "internal" };
}

/** Every other code of the register (disk full, busy …) becomes `unavailable`. */
const registerCodes: Partial<Record<RegisterError["code"], ErrorCode>> = {
  not_found: "not_found",
  bad_request: "bad_request",
  internal: "internal",
};
