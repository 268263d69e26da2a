// The register: one writer, one order, typed rows beside an append-only log.
export { shortenTexts, stageTexts } from "./blobs/stage-texts.ts";
export { addMissingNotices, type BlobSource, readWholeText, readWholeValue } from "./blobs/whole-values.ts";
export { type AgentLine, AgentLineParser, type ReadLine, readLongLine, sourceOfLine } from "./log/agent-line.ts";
export type { LogSource } from "./log/long-text.ts";
export { findProblem } from "./log/message-limits.ts";
export { stagedParts } from "./log/split-chunk.ts";
export { openRegister, openRegisterReader, type RegisterOptions } from "./open-register.ts";
export { chooseLimit, parseCursor, toCursor } from "./queries/arguments.ts";
export * from "./register.ts";
export { findThreadSecrets, redactThreads } from "./secrets/redact-threads.ts";
