// Shared by both our agents: the client's files, terminals and forms, background commands, exact edits, limits, images and PDFs, the
// project's instructions.

export { createPolicy, isInside, isObeyed } from "@signalbox/sandbox";
export { cleanLine, cleanText } from "./clean-text.ts";
export {
  askElicitation,
  clientElicitations,
  type ElicitationAnswer,
  type Elicitations,
  passElicitation,
  type ServerQuestion,
} from "./client/client-elicitations.ts";
export { type ClientFiles, clientFiles, createCancelOptions, type LineRange } from "./client/client-files.ts";
export {
  type ClientTerminal,
  type ClientTerminals,
  clientTerminals,
  type TerminalExit,
  type TerminalRequest,
} from "./client/client-terminals.ts";
export {
  type LimitedLines,
  limitLines,
  linesInRange,
  maxReadCharacters,
  maxReadLines,
  splitLines,
} from "./client/line-limits.ts";
export {
  type CommandEnd,
  type CommandEnding,
  type CommandRequest,
  endingLine,
  hasSucceeded,
  type StartCommand,
} from "./commands/command.ts";
export { explainEnd } from "./commands/explain-end.ts";
export { isTimeUp, type JobReport, Jobs, jobStatus } from "./commands/jobs.ts";
export { plainOutput } from "./commands/plain-output.ts";
export { type Program, type SandboxProgram, startSandboxProgram } from "./commands/sandbox-program.ts";
export { terminalCommands } from "./commands/terminal-commands.ts";
export { fitImage, type ModelImage, maxImageBytes } from "./documents/fit-image.ts";
export { describeBytes, identifyBytes, identifyingBytes } from "./documents/identify-bytes.ts";
export { howToSeePdf, pdfPictures } from "./documents/pdf-pictures.ts";
export { type ModelPdf, maxPdfBytes, type PageRange, type PdfPages, readPdf } from "./documents/read-pdf.ts";
export { applyHunks } from "./edit/apply-hunks.ts";
export { type ChangeReport, changeReport } from "./edit/change-report.ts";
export { type FilePatch, parsePatch } from "./edit/parse-patch.ts";
export { adoptLineEndings, replaceText } from "./edit/replace-text.ts";
export { type Instructions, loadInstructions, type ProjectOrigin } from "./instructions/load-instructions.ts";
export { machineEnforcement } from "./machine-enforcement.ts";
export { describeProjectServer, runProjectServer } from "./mcp/project-server.ts";
export {
  type ConfigPlace,
  type HttpServerConfig,
  type McpServerConfig,
  type McpServerConfigs,
  mcpServersFromClient,
  mcpServersFromConfig,
  readMcpJson,
  type StdioServerConfig,
} from "./mcp/server-config.ts";
export { everyTool, isUsedTool, unknownNames } from "./mcp/tool-filter.ts";
export { KeptOutputs } from "./output/kept-outputs.ts";
export { type KeepOutput, shortenOutput } from "./output/shorten-output.ts";
export { ToolFailure } from "./tool-failure.ts";
