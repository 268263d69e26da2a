// Finds the histories of Codex: one rollout file per session below ~/.codex/sessions (or $CODEX_HOME), in one folder per day.
import { homedir } from "node:os";
import { basename, join } from "node:path";
import { isJsonObject, type JsonObject, readText } from "@signalbox/protocol";
import type { HistoryFormat } from "../history.ts";
import { listHistoryFiles, readModificationTime } from "../history-files.ts";
import { readTime } from "../json-fields.ts";
import { makeThreadTitle } from "../thread-title.ts";
import { type CodexHead, CodexTranslator } from "./codex-translator.ts";
import { isInjected, readMessageText, readRolloutLine } from "./rollout-line.ts";

export const codexFormat: HistoryFormat<CodexHead> = {
  source: "codex",
  listFiles: (home, env) =>
    listHistoryFiles(join(env.CODEX_HOME ?? join(home, ".codex"), "sessions"), (path) =>
      /^rollout-.*\.jsonl$/.test(basename(path)),
    ),
  readHead: readHead,
  createTranslator: (head) => new CodexTranslator(head),
};

async function readHead(file: string, lines: AsyncIterable<JsonObject>): Promise<CodexHead | null> {
  let meta: JsonObject | null = null;
  let said: string | null = null;
  let cwd: string | null = null;
  let startedAt: number | null = null;
  let hasUserEvents = false;
  for await (const line of lines) {
    const { type, at, payload } = readRolloutLine(line);
    startedAt ??= at;
    if (type === "session_meta") meta ??= payload;
    else if (type === "event_msg" && payload.type === "user_message") {
      const text = readText(payload, "message") ?? "";
      if (isInjected(text)) continue;
      // The words of an event are the user's own; those of an item may have come before it.
      if (!hasUserEvents) said = text;
      hasUserEvents = true;
    } else if (type === "response_item" && payload.role === "user") {
      const text = readMessageText(payload);
      if (!isInjected(text)) said ??= text;
      cwd ??= findFolder(text);
    }
  }
  if (said === null || isSubagent(meta)) return null;
  return {
    sessionId: readText(meta ?? {}, "id") ?? basename(file, ".jsonl").replace(/^rollout-/, ""),
    cwd: readText(meta ?? {}, "cwd") ?? cwd ?? homedir(),
    title: makeThreadTitle(said),
    startedAt: readTime(meta ?? {}, "timestamp") ?? startedAt ?? (await readModificationTime(file)),
    hasUserEvents,
  };
}

/** Sessions of subagents are not imported: their result is the result of the call that started them. */
function isSubagent(meta: JsonObject | null): boolean {
  return isJsonObject(meta?.source) && "subagent" in meta.source;
}

/** Old rollouts name the folder only in the text that Codex sent to the model. */
function findFolder(text: string): string | null {
  if (!isInjected(text)) return null;
  const tagged = findTaggedText(text, "<cwd>", "</cwd>");
  return tagged ?? (/Current working directory: (.+)/.exec(text)?.[1]?.trim() || null);
}

function findTaggedText(text: string, start: string, end: string): string | null {
  const from = text.indexOf(start);
  const to = from < 0 ? -1 : text.indexOf(end, from);
  return to < 0 ? null : text.slice(from + start.length, to);
}
