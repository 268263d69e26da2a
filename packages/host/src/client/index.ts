// Gives commands access to a running host, or to the register of one.
export { providerChoices } from "@signalbox/config/providers";
export { duration } from "@signalbox/protocol";
export { runAcpBridge } from "./acp-bridge.ts";
export { fileBlock } from "./file-block.ts";
export { connectToHost } from "./find-host.ts";
export { HostClient } from "./host-client.ts";
export * from "./open-for-reading.ts";
export { runProxy } from "./proxy.ts";
export * from "./rebuild-register.ts";
export * from "./run-turn.ts";
export * from "./secrets.ts";
export * from "./turn-host.ts";
export * from "./turn-limits.ts";
