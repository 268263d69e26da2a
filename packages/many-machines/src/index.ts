// Threads of all machines that share a database. PostgreSQL's client and all that uses it is `@signalbox/many-machines/database`, which is
// loaded only where a shared database is configured.
export type { AllMachines, ThreadReader } from "./all-machines.ts";
export { chooseMachineName, openSharing, type SharedSecrets } from "./open-sharing.ts";
