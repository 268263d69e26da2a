// Exports what several packages share: ACP's types, the register's rows, the host's facts, the WebSocket's messages, and the reducer.
export * from "./acp.ts";
export type { ChangedFile, Hunk, QuestionSubject } from "./asked-about.ts";
export type { NotKept, ThreadCheckpoints, ThreadGit, TurnCheckpoint } from "./checkpoints.ts";
export * from "./client-messages.ts";
export type { Column, Columns, RowOf, StoredValue } from "./columns.ts";
export * as column from "./columns.ts";
export * from "./duration.ts";
export * from "./elicitation-form.ts";
export * from "./facts.ts";
export * from "./json.ts";
export type * from "./portable-log.ts";
export * from "./queries.ts";
export type * from "./rows.ts";
export type * from "./rule-row.ts";
export type * from "./server-messages.ts";
export * from "./tables.ts";
export * from "./thread-view.ts";
