// The host: agents as processes, sessions, and the server that screens talk to.
export type { AgentDefinition } from "./agents/registry.ts";
export { StartError } from "./data/host-error.ts";
export { type HostOptions, type RunningHostHandle, startHost } from "./start-host.ts";
