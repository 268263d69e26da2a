// ACP tool calls for people who write agents.
export type { ToolCallStart } from "./call-record.ts";
export type { AcpClient, AgentContextLike, PermissionRequests, SessionUpdates } from "./client.ts";
export { clientOf } from "./client.ts";
export { imageContent, resourceContent, resourceLinkContent, terminalContent, textContent } from "./content.ts";
export { diffOf } from "./diff.ts";
export { inferToolKind, toolKinds } from "./kind.ts";
export { changedLocations, locationsOf } from "./locations.ts";
export type { Log } from "./log.ts";
export type { ToolCallFields } from "./merge-tool-call.ts";
export { hasEnded, mergeToolCall, titleOf, untitled } from "./merge-tool-call.ts";
export type { CallerContext, OnProgress, ToolCallsOptions, ToolContext } from "./middleware.ts";
export { withToolCalls } from "./middleware.ts";
export { AlwaysAllowPermissionHandler } from "./permissions/always-allow.ts";
export type { ClientPermissionOptions } from "./permissions/client-handler.ts";
export { ClientPermissionHandler } from "./permissions/client-handler.ts";
export { FilePermissionStore } from "./permissions/file-store.ts";
export type { PermissionDecision, PermissionHandler, PermissionRequest } from "./permissions/permission.ts";
export { allow, deny } from "./permissions/permission.ts";
export type { PermissionRule } from "./permissions/rule-handler.ts";
export { RulePermissionHandler } from "./permissions/rule-handler.ts";
export type { PermissionOptions } from "./permissions/start-if-allowed.ts";
export { startIfAllowed } from "./permissions/start-if-allowed.ts";
export type { PermissionStore, RememberedDecision } from "./permissions/store.ts";
export { MemoryPermissionStore } from "./permissions/store.ts";
export { planFromTodos } from "./plan.ts";
export type { Progress } from "./progress.ts";
export { progressMetaKey } from "./progress.ts";
export type { ResultReport } from "./result.ts";
export { reportOf } from "./result.ts";
export type { ToolStats } from "./stats.ts";
export { ToolCallStats } from "./stats.ts";
export { createToolTitle } from "./title.ts";
export type {
  CompletedToolCall,
  FailedToolCall,
  OpenToolCall,
  PendingToolCall,
  RunningToolCall,
  SettledReport,
  SettledToolCall,
  ToolCallChange,
  ToolCallFacts,
} from "./tool-call.ts";
export type { ToolCallErrorCode } from "./tool-call-error.ts";
export { errorText, ToolCallError } from "./tool-call-error.ts";
export type { ToolCallTrackerOptions } from "./tracker.ts";
export { ToolCallTracker } from "./tracker.ts";
export type { ToolCallingAgent } from "./wrap-agent.ts";
export { unwrapAgent, wrapAgent } from "./wrap-agent.ts";
