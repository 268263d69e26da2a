// Lists the formats of histories that can be imported.
import { claudeFormat } from "./claude/claude-format.ts";
import { codexFormat } from "./codex/codex-format.ts";
import type { HistoryFormat } from "./history.ts";

export type ImportSource = "claude" | "codex";

/** A format creates translators only for heads that it has read itself, which this type does not express. */
export function findFormat(source: ImportSource): HistoryFormat {
  const formats: Readonly<Record<ImportSource, unknown>> = { claude: claudeFormat, codex: codexFormat };
  return formats[source] as HistoryFormat;
}
