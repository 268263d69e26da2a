// Writes a thread as Markdown. Messages stay as they are; tool output goes into code fences that it cannot break out of.
import type { ToolCallRow } from "@signalbox/protocol";
import { cleanLine } from "./clean-text.ts";
import { type Piece, readMessagePieces, readToolCallPieces } from "./content-pieces.ts";
import { plain } from "./layout.ts";
import { diffLines } from "./line-diff.ts";
import {
  chooseToolCallMark,
  describeElicitation,
  describePermission,
  describeTurnEnding,
  formatTerminal,
  nameSpeaker,
} from "./marks.ts";
import { formatCallTime, formatLocalTime } from "./measures.ts";
import type { ThreadEntry, ThreadReport } from "./thread-entries.ts";
import { formatThreadTitle } from "./threads-report.ts";

export async function* writeThreadMarkdown({ thread, plan, entries }: ThreadReport): AsyncGenerator<string> {
  yield `# ${escapeInline(formatThreadTitle(thread))}\n\n`;
  yield [
    `- Agent: ${formatCode(thread.agent_id)}`,
    `- Folder: ${formatCode(thread.cwd)}`,
    `- Started: ${formatLocalTime(thread.created_at)}`,
    `- Status: ${thread.status}`,
    `- Thread: ${formatCode(thread.id)}`,
    "",
  ].join("\n");
  for await (const entry of entries) yield formatEntry(entry, thread.agent_id);
  if (plan !== null && plan.length > 0) {
    const boxes = plan.map(({ content, status }) => `- [${status === "completed" ? "x" : " "}] ${cleanLine(content)}`);
    yield `\n## Plan\n\n${boxes.join("\n")}\n`;
  }
}

function formatEntry(entry: ThreadEntry, agentId: string): string {
  switch (entry.type) {
    case "message": {
      const text = readMessagePieces(entry)
        .map((piece) => (piece.type === "text" ? piece.text : formatPiece(piece)))
        .join("\n\n")
        .trim();
      if (entry.kind === "reason")
        return `\n${text
          .split("\n")
          .map((line) => `> ${line}`)
          .join("\n")}\n`;
      return `\n## ${escapeInline(cleanLine(nameSpeaker(entry, agentId)))}\n\n${text}\n`;
    }
    case "tool_call": {
      const shown = readToolCallPieces(entry).map(formatPiece);
      return ["", formatToolCallHeading(entry), ...shown.flatMap((piece) => ["", piece]), ""].join("\n");
    }
    case "terminal":
      return `\n${fence("console", formatTerminal(entry))}\n`;
    case "permission":
      return `\n*Permission ${escapeInline(cleanLine(describePermission(entry)))}*\n`;
    case "elicitation":
      return `\n*Question: ${escapeInline(cleanLine(describeElicitation(entry)))}*\n`;
    case "turn_end": {
      const ending = describeTurnEnding(entry.turn);
      return ending === null ? "" : `\n**${escapeInline(cleanLine(ending))}**\n`;
    }
  }
}

function formatToolCallHeading(toolCall: ToolCallRow): string {
  const { title, kind, status } = toolCall;
  const time = formatCallTime(toolCall);
  const took = time === "" ? "" : `, ${time}`;
  // Backticks in a title mark code. Everything else in it is literal text.
  return `### ${chooseToolCallMark(status, plain)} ${cleanLine(title).replaceAll(/[<>]/g, "\\$&")} *(${cleanLine(kind)}${took})*`;
}

function formatPiece(piece: Piece): string {
  switch (piece.type) {
    case "text":
      return fence("", piece.text);
    case "diff": {
      const lines = diffLines(piece.oldText, piece.newText).map(({ sign, text }) =>
        sign === "@" ? `@@ ${text}` : `${sign}${text}`,
      );
      return `${formatCode(piece.path)}\n\n${fence("diff", lines.join("\n"))}`;
    }
    case "image":
      return `*[image: ${cleanLine(piece.mimeType)}]*`;
    case "link":
      return `[${escapeInline(cleanLine(piece.name))}](<${cleanLine(piece.uri).replaceAll(/[<>]/g, encodeURIComponent)}>)`;
    case "other":
      return `*[${escapeInline(cleanLine(piece.name))}]*`;
  }
}

/** The fence is longer than any run of backticks inside it. */
function fence(language: string, text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const marks = "`".repeat(longest + 1);
  return `${marks}${language}\n${text.replace(/\n$/, "")}\n${marks}`;
}

function formatCode(text: string): string {
  const clean = cleanLine(text);
  const longest = Math.max(0, ...[...clean.matchAll(/`+/g)].map(([run]) => run.length));
  const marks = "`".repeat(longest + 1);
  const space = clean.startsWith("`") || clean.endsWith("`") ? " " : "";
  return `${marks}${space}${clean}${space}${marks}`;
}

function escapeInline(text: string): string {
  return text.replaceAll(/[\\`*_[\]<>#]/g, "\\$&");
}
