// Lists the ways of writing histories down that can be imported.
import { claudeFormat } from "./claude/claude-format.ts";
import { codexFormat } from "./codex/codex-format.ts";
import type { HistoryFormat } from "./history.ts";

export type ImportSource = "claude" | "codex";

/** What a translator takes is what the same format's `head` gave. */
export function formatOf(source: ImportSource): HistoryFormat {
  const formats: Readonly<Record<ImportSource, unknown>> = { claude: claudeFormat, codex: codexFormat };
  return formats[source] as HistoryFormat;
}
