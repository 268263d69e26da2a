// The host: agents as processes, sessions, and the server that screens talk to.
export {
  type AgentTestRow,
  duration,
  type EventRow,
  parseRule,
  type SearchHitRow,
  type SetupRow,
  type StatsRow,
  type ThreadSummaryRow,
} from "@signalbox/protocol";
export type { OwnProgram } from "./agents/known-agents.ts";
export type { AgentDefinition } from "./agents/registry.ts";
export * from "./client/index.ts";
export { HostError, StartError } from "./data/host-error.ts";
export { lookAround, type Surroundings } from "./look-around.ts";
export { type OpenRooms, openRooms, type RoomsOptions } from "./open-rooms.ts";
export * from "./reports/index.ts";
export { type HostOptions, type RunningHostHandle, startHost } from "./start-host.ts";
