// Declares what this library needs of an ACP connection. A hand-written connection can implement it; `clientOf` makes it from the context of
// the official SDK.
import type {
  RequestPermissionRequest,
  RequestPermissionResponse,
  SendRequestOptions,
  SessionNotification,
} from "@agentclientprotocol/sdk";

/** Takes `session/update` notifications. A returned promise says when the notification has been taken; its rejection is reported, not thrown. */
export interface SessionUpdates {
  sessionUpdate(notification: SessionNotification): Promise<void> | void;
}

/** Asks `session/request_permission`. When `signal` aborts, the answer is not wanted any more. */
export interface PermissionRequests {
  requestPermission(
    request: RequestPermissionRequest,
    options: { readonly signal: AbortSignal },
  ): Promise<RequestPermissionResponse>;
}

/** The client as an agent sees it. */
export interface AcpClient extends SessionUpdates, PermissionRequests {}

/** The part of the SDK's `AgentContext` that is used; the context of the stable and of the unstable entry both fit. */
export interface AgentContextLike {
  notify(method: "session/update", params: SessionNotification): Promise<void>;
  request(
    method: "session/request_permission",
    params: RequestPermissionRequest,
    options?: SendRequestOptions,
  ): Promise<RequestPermissionResponse>;
}

/** Adapts the `client` that the SDK's `agent(...)` gives to every handler. It may be kept for the life of the connection. */
export function wrapClient(context: AgentContextLike): AcpClient {
  return {
    sessionUpdate: (notification) => context.notify("session/update", notification),
    requestPermission: (request, { signal }) =>
      context.request("session/request_permission", request, { cancellationSignal: signal, stopWaitingOnCancel: true }),
  };
}
