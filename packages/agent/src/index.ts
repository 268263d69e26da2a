// Our ACP agent.

export { providerChoices } from "@signalbox/config/providers";
export type { AgentOptions } from "./agent-options.ts";
export { runAgent } from "./run-agent.ts";
export { type ModeId, modeIds } from "./sessions/modes.ts";
