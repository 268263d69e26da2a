// Prints a thread for a terminal: each message, one line for each tool call, and the beginning of its output.
import { type TerminalRow, type ToolCallRow, terminalEnding } from "@signalbox/protocol";
import { cleanLine, cleanText } from "./clean-text.ts";
import { type Piece, readMessagePieces, readToolCallPieces } from "./content-pieces.ts";
import type { Layout } from "./layout.ts";
import { diffLines } from "./line-diff.ts";
import {
  chooseToolCallMark,
  describeElicitation,
  describePermission,
  describeTurnEnding,
  nameSpeaker,
} from "./marks.ts";
import { formatCallTime, formatCount, formatLocalTime } from "./measures.ts";
import { fit } from "./text-width.ts";
import type { ThreadEntry, ThreadReport } from "./thread-entries.ts";
import { formatThreadTitle } from "./threads-report.ts";

/** Longer output is truncated, with the number of lines left out. */
const maxOutputLines = 8;

export async function* writeThreadText(
  { thread, plan, entries }: ThreadReport,
  layout: Layout,
): AsyncGenerator<string> {
  const { paint } = layout;
  yield `${paint.bold(formatThreadTitle(thread))}\n`;
  const about = [thread.agent_id, thread.cwd, thread.status, formatLocalTime(thread.created_at), thread.id].map(
    cleanLine,
  );
  yield `${paint.dim(about.join(" · "))}\n`;
  for await (const entry of entries) yield formatEntry(entry, thread.agent_id, layout);
  if (plan !== null && plan.length > 0) {
    const mark = { completed: paint.green("✓"), in_progress: paint.yellow("…") } as Readonly<Record<string, string>>;
    const lines = plan.map(({ content, status }) => `  ${mark[status] ?? "·"} ${cleanLine(content)}`);
    yield `\n${paint.bold("Plan")}\n${lines.join("\n")}\n`;
  }
}

function formatEntry(entry: ThreadEntry, agentId: string, layout: Layout): string {
  const { paint } = layout;
  switch (entry.type) {
    case "message": {
      const text = readMessagePieces(entry).map(formatPiece).join("\n");
      if (entry.kind === "reason") return `\n${paint.dim(indent(cleanText(text).trim(), "  │ "))}\n`;
      const who = (entry.role === "user" ? paint.cyan : paint.green)(cleanLine(nameSpeaker(entry, agentId)));
      return `\n${paint.bold(who)}\n${cleanText(text).trimEnd()}\n`;
    }
    case "tool_call":
      return `\n${formatToolCall(entry, layout)}\n${formatOutput(readToolCallPieces(entry).map(formatPiece).join("\n"), "first", layout)}`;
    case "terminal":
      return `${formatTerminalLine(entry, layout)}\n${formatOutput(entry.output, "last", layout)}`;
    case "permission":
      return `  ${paint.dim(`permission ${cleanLine(describePermission(entry))}`)}\n`;
    case "elicitation":
      return `  ${paint.dim(`question: ${cleanLine(describeElicitation(entry))}`)}\n`;
    case "turn_end": {
      const ending = describeTurnEnding(entry.turn);
      if (ending === null) return "";
      return `\n${(entry.turn.status === "failed" ? paint.red : paint.yellow)(cleanText(ending))}\n`;
    }
  }
}

export function formatToolCall(
  row: Pick<ToolCallRow, "title" | "kind" | "status" | "created_at" | "started_at" | "ended_at" | "waited_ms">,
  { paint, width }: Layout,
): string {
  const took = formatCallTime(row);
  const about = ` (${cleanLine(row.kind)}${took === "" ? "" : `, ${took}`})`;
  const title = fit(cleanLine(row.title), Math.max(16, width - 2 - about.length));
  return `${chooseToolCallMark(row.status, paint)} ${title}${paint.dim(about)}`;
}

function formatTerminalLine(row: TerminalRow, { paint, width }: Layout): string {
  const ending = terminalEnding(row);
  const line = fit(`$ ${cleanLine(row.command)}`, Math.max(16, width - 5 - ending.length));
  return `  ${line} ${paint.dim(`(${cleanLine(ending)})`)}`;
}

function formatOutput(text: string, which: "first" | "last", { paint, width }: Layout): string {
  const lines = cleanText(text).trimEnd().split("\n");
  if (lines.length === 1 && lines[0] === "") return "";
  const more = lines.length - maxOutputLines;
  const shown = which === "first" ? lines.slice(0, maxOutputLines) : lines.slice(-maxOutputLines);
  const note = more > 0 ? [`… ${formatCount(more, "more line")}`] : [];
  const all = which === "first" ? [...shown, ...note] : [...note, ...shown];
  return `${all.map((line) => paint.dim(fit(`    ${line}`.trimEnd(), width))).join("\n")}\n`;
}

function formatPiece(piece: Piece): string {
  switch (piece.type) {
    case "text":
      return piece.text;
    case "diff":
      return [piece.path, ...diffLines(piece.oldText, piece.newText).map(({ sign, text }) => `${sign} ${text}`)].join(
        "\n",
      );
    case "image":
      return `[image: ${piece.mimeType}]`;
    case "link":
      return `[${piece.name}: ${piece.uri}]`;
    case "other":
      return `[${piece.name}]`;
  }
}

function indent(text: string, by: string): string {
  return text
    .split("\n")
    .map((line) => `${by}${line}`)
    .join("\n");
}
