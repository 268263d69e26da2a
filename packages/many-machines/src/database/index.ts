// The shared register: ships the log of this machine to PostgreSQL, and reads the threads of others from there.
export { checkShared, type SharedCheck } from "./check-shared.ts";
export type { Commands } from "./commands.ts";
export { initShared } from "./init-shared.ts";
export type { LocalLog } from "./local-log.ts";
export { markOutdated, readOwner } from "./positions.ts";
export type { RemoteChange } from "./remote-watch.ts";
export { removeMachine } from "./remove-machine.ts";
export type { RemoteThread, SharedReader } from "./shared-reader.ts";
export { Sharing } from "./sharing.ts";
