// Turns the host's errors into ACP's, in one place: a code that clients know, and the host's sentence.
import { RequestError } from "@agentclientprotocol/sdk";
import { type ErrorCode, isJsonObject, type Json, messageOf } from "@signalbox/protocol";
import { RegisterError } from "@signalbox/tinyvex";
import { isLoginError } from "../agents/log-in.ts";
import { HostError } from "../data/host-error.ts";

const codes = {
  invalidRequest: -32600,
  invalidParams: -32602,
  internal: -32603,
  authRequired: -32000,
  notFound: -32002,
} as const;

const codeOf: Readonly<Record<ErrorCode, number>> = {
  bad_request: codes.invalidParams,
  not_found: codes.notFound,
  conflict: codes.invalidRequest,
  too_large: codes.invalidRequest,
  unauthorized: codes.authRequired,
  rate_limited: codes.internal,
  agent_failed: codes.internal,
  unavailable: codes.internal,
  internal: codes.internal,
};

export function toRequestError(error: unknown): RequestError {
  if (error instanceof RequestError) return error;
  if (error instanceof HostError) {
    if (isLoginError(error)) return new RequestError(codes.authRequired, error.message, error.details);
    return failure(error.code, error.message, error.details);
  }
  if (error instanceof RegisterError && error.code === "not_found") {
    return new RequestError(codes.notFound, error.message);
  }
  return new RequestError(codes.internal, messageOf(error));
}

/** An error of the host or, where the agent gave a code, the agent's own. */
export function failure(code: string, message: string, details: Json | undefined): RequestError {
  const ofAgent = isJsonObject(details) && typeof details.code === "number" ? details : null;
  const known = Object.entries(codeOf).find(([name]) => name === code)?.[1] ?? codes.internal;
  if (ofAgent !== null) return new RequestError(Number(ofAgent.code), message, ofAgent.data ?? undefined);
  return new RequestError(known, message, details ?? undefined);
}

export function badParams(problem: string): RequestError {
  return new RequestError(codes.invalidParams, problem);
}

export function badFrame(problem: string, kind: "parse" | "request"): object {
  return {
    jsonrpc: "2.0",
    id: null,
    error: { code: kind === "parse" ? -32700 : codes.invalidRequest, message: problem },
  };
}
