// What commands and downloads show of the register, as pure functions of its rows.
export * from "./clean-text.ts";
export * from "./export-thread.ts";
export * from "./look.ts";
export { counted, duration, size } from "./measures.ts";
export * from "./search-report.ts";
export * from "./stats-report.ts";
export * from "./thread-entries.ts";
export * from "./thread-text.ts";
export * from "./threads-report.ts";
