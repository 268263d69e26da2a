// What crosses a border: ACP's words, the register's rows, the host's facts, the WebSocket's messages, and the reducer over them.
export type * from "./acp.ts";
export { isTextBlock } from "./acp.ts";
export * from "./client-messages.ts";
export * from "./duration.ts";
export * from "./elicitation-form.ts";
export type * from "./facts.ts";
export * from "./json.ts";
export * from "./queries.ts";
export type * from "./rows.ts";
export type * from "./rule-row.ts";
export type * from "./server-messages.ts";
export * from "./thread-view.ts";
