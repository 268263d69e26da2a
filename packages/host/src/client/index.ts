// The host from the outside: its register for a command that looks, and a running one for a command that takes part.
export * from "./open-for-reading.ts";
export * from "./rebuild-register.ts";
