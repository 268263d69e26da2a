// ACP tool calls for people who write agents.

export { messageOf } from "@signalbox/base";
export type { Escalation, EscalationTarget } from "@signalbox/rules";
export type { ToolCallStart } from "./calls/call-record.ts";
export type { ToolCallFields } from "./calls/merge-tool-call.ts";
export { chooseTitle, hasEnded, mergeToolCall, untitled } from "./calls/merge-tool-call.ts";
export type { Progress } from "./calls/progress.ts";
export { progressMetaKey } from "./calls/progress.ts";
export type { ToolStats } from "./calls/stats.ts";
export { ToolCallStats } from "./calls/stats.ts";
export type {
  CompletedToolCall,
  FailedToolCall,
  OpenFacts,
  OpenToolCall,
  PendingToolCall,
  RunningToolCall,
  SettledFacts,
  SettledReport,
  SettledToolCall,
  ToolCallChange,
  ToolCallFacts,
} from "./calls/tool-call.ts";
export type { ToolCallTrackerOptions } from "./calls/tracker.ts";
export { ToolCallTracker } from "./calls/tracker.ts";
export type { AcpClient, AgentContextLike, PermissionRequests, SessionUpdates } from "./client.ts";
export { wrapClient } from "./client.ts";
export {
  diffContent,
  imageContent,
  resourceContent,
  resourceLinkContent,
  terminalContent,
  textContent,
} from "./content/content.ts";
export { planFromTodos } from "./content/plan.ts";
export type { ResultReport } from "./content/result.ts";
export { reportResult } from "./content/result.ts";
export type { ClaudeResultReport, ClaudeToolResult } from "./describe/claude-results.ts";
export { describeClaudeResult } from "./describe/claude-results.ts";
export type { ToolDescription } from "./describe/claude-tools.ts";
export { claudeToolName, claudeToolNames, describeClaudeTool } from "./describe/claude-tools.ts";
export { inferToolKind, toolKinds } from "./describe/kind.ts";
export { changedLocations, findLocations } from "./describe/locations.ts";
export {
  type FoundSecret,
  findSecrets,
  hideParts,
  isSecretName,
  redactField,
  redactText,
  type SecretKind,
} from "./describe/redact.ts";
export { createToolTitle } from "./describe/title.ts";
export { fileBytesAnswer, fileBytesMeta, hasFileBytes, readFileBytes } from "./file-bytes.ts";
export type { Log } from "./log.ts";
export { AlwaysAllowPermissionHandler } from "./permissions/always-allow.ts";
export type { ClientPermissionOptions } from "./permissions/client-handler.ts";
export { ClientPermissionHandler } from "./permissions/client-handler.ts";
export { commentKey, readComment, readsComments } from "./permissions/comment.ts";
export { deniedByKey, deniedByNoPerson, unansweredByNoPerson } from "./permissions/denied-by.ts";
export { FilePermissionStore } from "./permissions/file-store.ts";
export type { PermissionDecision, PermissionHandler, PermissionRequest } from "./permissions/permission.ts";
export { afterRefusal, allow, deny } from "./permissions/permission.ts";
export type { PermissionRule } from "./permissions/rule-handler.ts";
export { RulePermissionHandler } from "./permissions/rule-handler.ts";
export type { PermissionOptions } from "./permissions/start-if-allowed.ts";
export { startIfAllowed } from "./permissions/start-if-allowed.ts";
export type { PermissionStore, RememberedDecision } from "./permissions/store.ts";
export { MemoryPermissionStore } from "./permissions/store.ts";
export type { TerminalDenials, TerminalSandbox } from "./terminal-sandbox.ts";
export {
  escalationMeta,
  readTerminalDenials,
  readTerminalSandbox,
  terminalDenialsMeta,
  terminalSandboxMeta,
} from "./terminal-sandbox.ts";
export type { ToolCallErrorCode } from "./tool-call-error.ts";
export { ToolCallError } from "./tool-call-error.ts";
export { untilAborted } from "./until-aborted.ts";
export type {
  CallerContext,
  OnProgress,
  ProgressReport,
  ReportProgress,
  ToolCallsOptions,
  ToolContext,
} from "./with-tool-calls.ts";
export { withToolCalls } from "./with-tool-calls.ts";
export type { ToolCallingAgent } from "./wrap-agent.ts";
export { unwrapAgent, wrapAgent } from "./wrap-agent.ts";
