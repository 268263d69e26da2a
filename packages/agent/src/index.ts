// Our ACP agent.
export { type ProviderName, providerNames } from "./providers/open-model.ts";
export { type AgentOptions, runAgent } from "./run-agent.ts";
export { type ModeId, modeIds } from "./sessions/session-options.ts";
