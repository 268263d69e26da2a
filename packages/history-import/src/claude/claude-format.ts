// Finds the histories of Claude Code: one file per session below ~/.claude/projects (or $CLAUDE_CONFIG_DIR), in one folder per project.
import { homedir } from "node:os";
import { basename, join, sep } from "node:path";
import { type JsonObject, readObjects, readText } from "@signalbox/protocol";
import type { HistoryFormat, HistoryHead } from "../history.ts";
import { listHistoryFiles, readModificationTime } from "../history-files.ts";
import { readObject, readTime } from "../json-fields.ts";
import { makeThreadTitle } from "../thread-title.ts";
import { ClaudeTranslator } from "./claude-translator.ts";
import { readUserText } from "./user-text.ts";

export const claudeFormat: HistoryFormat = {
  source: "claude",
  listFiles: (home, env) =>
    listHistoryFiles(
      join(env.CLAUDE_CONFIG_DIR ?? join(home, ".claude"), "projects"),
      (path) =>
        path.endsWith(".jsonl") && !basename(path).startsWith("agent-") && !path.includes(`${sep}subagents${sep}`),
    ),
  readHead: readHead,
  createTranslator: (head) => new ClaudeTranslator(head),
};

async function readHead(file: string, lines: AsyncIterable<JsonObject>): Promise<HistoryHead | null> {
  let prompt: string | null = null;
  let cwd: string | null = null;
  let startedAt: number | null = null;
  let given: string | null = null;
  let summary: string | null = null;
  for await (const line of lines) {
    if (line.isSidechain === true) continue;
    given = readText(line, "customTitle") ?? given;
    summary = readText(line, "aiTitle") ?? (line.type === "summary" ? readText(line, "summary") : null) ?? summary;
    cwd ??= readText(line, "cwd");
    startedAt ??= readTime(line, "timestamp");
    if (line.type === "user" && line.isMeta !== true) prompt ??= findPrompt(line);
  }
  if (prompt === null) return null;
  return {
    sessionId: basename(file, ".jsonl"),
    cwd: cwd ?? homedir(),
    title: makeThreadTitle(given ?? summary ?? prompt),
    startedAt: startedAt ?? (await readModificationTime(file)),
  };
}

function findPrompt(line: JsonObject): string | null {
  const { content } = readObject(line, "message");
  const texts =
    typeof content === "string" ? [content] : readObjects(content).map((block) => readText(block, "text") ?? "");
  for (const text of texts) {
    const words = readUserText(text);
    if (words.type === "prompt") return words.text;
  }
  return null;
}
