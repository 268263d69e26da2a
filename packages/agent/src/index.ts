// Our ACP agent.
export type { AgentOptions } from "./agent-options.ts";
export { type ProviderName, providerNames } from "./providers/open-model.ts";
export { runAgent } from "./run-agent.ts";
export { type ModeId, modeIds } from "./sessions/session-options.ts";
