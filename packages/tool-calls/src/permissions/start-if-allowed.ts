// Asks a handler about a pending call and takes the call to its next state. No decision means no: whatever goes wrong on the way
// is a denial.

import { messageOf } from "@signalbox/base";
import type { FailedToolCall, PendingToolCall, RunningToolCall } from "../calls/tool-call.ts";
import { untilAborted } from "../until-aborted.ts";
import { deny, type PermissionDecision, type PermissionHandler, type PermissionRequest } from "./permission.ts";

export interface PermissionOptions {
  /** How long an answer may take, in milliseconds; without it, as long as the call is wanted. */
  readonly permissionTimeoutMs?: number;
}

/**
 * The call, running if the handler allowed it. Otherwise failed: `message` says why in words that the model can use, and the tool
 * must not run. Never throws. The client has been told of the call before the handler is asked.
 */
export async function startIfAllowed(
  pending: PendingToolCall,
  permissions: PermissionHandler,
  { permissionTimeoutMs }: PermissionOptions = {},
): Promise<RunningToolCall | FailedToolCall> {
  await pending.delivered();
  const timer =
    permissionTimeoutMs === undefined
      ? undefined
      : setTimeout(() => pending.deny(notAnswered(pending.name, permissionTimeoutMs)), permissionTimeoutMs);
  const decision = await askHandler(pending, permissions);
  clearTimeout(timer);
  // A call that was cancelled or timed out meanwhile stays as it is; both steps then hand back that end.
  return decision.allowed ? pending.start() : pending.deny(decision.message);
}

async function askHandler(pending: PendingToolCall, permissions: PermissionHandler): Promise<PermissionDecision> {
  try {
    const answer = permissions.decide(buildRequest(pending));
    const decision = isPromise(answer) ? await untilAborted(answer, pending.signal) : answer;
    return checked(decision, pending.name);
  } catch (error) {
    return deny(`${pending.name} was not run, because permission could not be asked: ${messageOf(error)}`);
  }
}

function buildRequest(pending: PendingToolCall): PermissionRequest {
  const { sessionId, id, name, kind, title, rawInput, locations, content, cwd } = pending;
  return {
    sessionId,
    toolCallId: id,
    tool: name,
    kind,
    title,
    args: rawInput,
    locations,
    content,
    cwd,
    get signal() {
      return pending.signal;
    },
  };
}

function isPromise<T>(value: T | Promise<T> | undefined): value is Promise<T> {
  return typeof value === "object" && value !== null && "then" in value;
}

/** A handler may be written without types: only a clear yes is a yes. */
function checked(decision: PermissionDecision | undefined, tool: string): PermissionDecision {
  if (decision?.allowed === true) return decision;
  if (decision?.allowed === false && typeof decision.message === "string") return decision;
  return deny(`${tool} was not run, because no decision was made whether it may.`);
}

function notAnswered(tool: string, afterMs: number): string {
  return `${tool} was not run: the question for permission was not answered within ${afterMs / 1000} seconds. Go on without it, or say what you need.`;
}
