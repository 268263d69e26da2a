// The host from the outside: its register for a command that looks, and a running one for a command that takes part.
export { connectToHost } from "./find-host.ts";
export { HostClient } from "./host-client.ts";
export * from "./open-for-reading.ts";
export * from "./rebuild-register.ts";
export * from "./run-turn.ts";
export * from "./turn-place.ts";
