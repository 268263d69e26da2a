// The shared register: ships the log of this machine to PostgreSQL.
export type { LocalLog } from "./local-log.ts";
export { SharedError } from "./shared-error.ts";
export { Sharing } from "./sharing.ts";
