// What commands and downloads show of the register, as pure functions of its rows.
export * from "./agents-report.ts";
export * from "./export-thread.ts";
export * from "./look.ts";
export { counted, duration } from "./measures.ts";
export * from "./search-report.ts";
export * from "./stats-report.ts";
export * from "./thread-entries.ts";
export * from "./thread-text.ts";
export * from "./threads-report.ts";
export * from "./turn-printer.ts";
