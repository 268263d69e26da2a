// Imports the histories of other tools: their sessions become threads of the register, with the updates that an ACP agent would have sent.
export { HistoryImports } from "./history-imports.ts";
