// Exports the runtime that shows a thread of a Signalbox host in assistant-ui.
export { messagesOf } from "./messages-of.ts";
export { useSignalboxRuntime } from "./use-signalbox-runtime.ts";
