// Lists the borders that are fuzzed. The corpus of each is in a folder of its name; the sandbox helper's plans have a fuzzer of their own, in C.
import type { OpenBorder } from "./border.ts";
import { openAgentLines } from "./borders/agent-lines.ts";
import { openConfig, openHistories, openRegistry, openRules, openSharedLog } from "./borders/files.ts";
import { openAcpFrames, openAgentTurns, openScreenFrames } from "./borders/host.ts";

export const borders: Readonly<Record<string, OpenBorder>> = {
  "agent-lines": openAgentLines,
  "agent-turns": openAgentTurns,
  "screen-frames": openScreenFrames,
  "acp-frames": openAcpFrames,
  config: openConfig,
  rules: openRules,
  histories: openHistories,
  registry: openRegistry,
  "shared-log": openSharedLog,
};
