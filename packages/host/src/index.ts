// The host: runs agents as processes and keeps their sessions. `@signalbox/host/serve` puts the server for screens before it,
// `@signalbox/host/data` is what commands need of its data folder: a command loads only what it needs.
export type { AgentTestRow, SetupRow } from "@signalbox/protocol";
export { ruleProblem } from "@signalbox/rules";
export type { OwnProgram } from "./agents/known-agents.ts";
export { isLoginError } from "./agents/log-in.ts";
export type { AgentDefinition } from "./agents/registry.ts";
export { HostError, StartError } from "./data/host-error.ts";
export { type Diagnostics, openDiagnostics } from "./diagnostics.ts";
export { listModels } from "./list-models.ts";
export type { HostServices } from "./server/host-services.ts";
export { checkSharedDatabase, initSharedDatabase, removeSharedMachine } from "./shared-tools.ts";
