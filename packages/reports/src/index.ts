// Reports for commands and downloads: pure functions of the register's rows. Imported as `@signalbox/reports`, so that a host
// that starts does not load them: measuring the width of a text alone needs Unicode tables that take 35 ms.
export * from "./agents-report.ts";
export * from "./changes-report.ts";
export * from "./export-thread.ts";
export * from "./layout.ts";
export { formatCount } from "./measures.ts";
export { formatModels } from "./models-report.ts";
export * from "./rules-report.ts";
export * from "./search-report.ts";
export * from "./secrets-report.ts";
export * from "./stats-report.ts";
export * from "./thread-entries.ts";
export * from "./thread-text.ts";
export * from "./threads-report.ts";
export * from "./turn-printer.ts";
export * from "./turn-summary.ts";
