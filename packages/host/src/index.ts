// The host: runs agents as processes, keeps their sessions, and serves screens.
export {
  type AgentTestRow,
  duration,
  type EventRow,
  type SearchHitRow,
  type SetupRow,
  type StatsRow,
  type ThreadSummaryRow,
} from "@signalbox/protocol";
export { ruleProblem } from "@signalbox/rules";
export type { OwnProgram } from "./agents/known-agents.ts";
export type { AgentDefinition } from "./agents/registry.ts";
export * from "./client/index.ts";
export { HostError, StartError } from "./data/host-error.ts";
export { type Diagnostics, openDiagnostics } from "./diagnostics.ts";
export { localTurnHost } from "./local-turn-host.ts";
export { openHostServices } from "./open-host-services.ts";
export { type HostOptions, type RunningHostHandle, startHost } from "./start-host.ts";
