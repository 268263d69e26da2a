// Finds the histories of Claude Code: one file per session below ~/.claude/projects (or $CLAUDE_CONFIG_DIR), in one folder per project.
import { homedir } from "node:os";
import { basename, join, sep } from "node:path";
import type { JsonObject } from "@signalbox/protocol";
import type { HistoryFormat, HistoryHead } from "../history.ts";
import { changedAt, historyFiles } from "../history-files.ts";
import { objectOf, objectsOf, textOf, timeOf } from "../json-fields.ts";
import { threadTitle } from "../thread-title.ts";
import { ClaudeTranslator } from "./claude-translator.ts";
import { readUserText } from "./user-text.ts";

export const claudeFormat: HistoryFormat = {
  source: "claude",
  files: (home, env) =>
    historyFiles(
      join(env.CLAUDE_CONFIG_DIR ?? join(home, ".claude"), "projects"),
      (path) =>
        path.endsWith(".jsonl") && !basename(path).startsWith("agent-") && !path.includes(`${sep}subagents${sep}`),
    ),
  head: readHead,
  translator: (head) => new ClaudeTranslator(head),
};

async function readHead(file: string, lines: AsyncIterable<JsonObject>): Promise<HistoryHead | null> {
  let prompt: string | null = null;
  let cwd: string | null = null;
  let startedAt: number | null = null;
  let given: string | null = null;
  let summary: string | null = null;
  for await (const line of lines) {
    if (line.isSidechain === true) continue;
    given = textOf(line, "customTitle") ?? given;
    summary = textOf(line, "aiTitle") ?? (line.type === "summary" ? textOf(line, "summary") : null) ?? summary;
    cwd ??= textOf(line, "cwd");
    startedAt ??= timeOf(line, "timestamp");
    if (line.type === "user" && line.isMeta !== true) prompt ??= promptOf(line);
  }
  if (prompt === null) return null;
  return {
    sessionId: basename(file, ".jsonl"),
    cwd: cwd ?? homedir(),
    title: threadTitle(given ?? summary ?? prompt),
    startedAt: startedAt ?? (await changedAt(file)),
  };
}

function promptOf(line: JsonObject): string | null {
  const { content } = objectOf(line, "message");
  const texts =
    typeof content === "string" ? [content] : objectsOf(content).map((block) => textOf(block, "text") ?? "");
  for (const text of texts) {
    const words = readUserText(text);
    if (words.type === "prompt") return words.text;
  }
  return null;
}
