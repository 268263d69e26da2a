// Writes a thread as Markdown. Messages stay as they are; tool output goes into code fences that it cannot break out of.
import type { ToolCallRow } from "@signalbox/protocol";
import { cleanLine } from "./clean-text.ts";
import { messagePieces, type Piece, toolCallPieces } from "./content-pieces.ts";
import { plain } from "./layout.ts";
import { lineDiff } from "./line-diff.ts";
import { elicitationText, permissionText, speakerOf, terminalText, toolCallMark, turnEnding } from "./marks.ts";
import { callTime, localTime } from "./measures.ts";
import type { ThreadEntry, ThreadReport } from "./thread-entries.ts";
import { threadTitle } from "./threads-report.ts";

export async function* threadMarkdown({ thread, plan, entries }: ThreadReport): AsyncGenerator<string> {
  yield `# ${escapeInline(threadTitle(thread))}\n\n`;
  yield [
    `- Agent: ${code(thread.agent_id)}`,
    `- Folder: ${code(thread.cwd)}`,
    `- Started: ${localTime(thread.created_at)}`,
    `- Status: ${thread.status}`,
    `- Thread: ${code(thread.id)}`,
    "",
  ].join("\n");
  for await (const entry of entries) yield entryMarkdown(entry, thread.agent_id);
  if (plan !== null && plan.length > 0) {
    const boxes = plan.map(({ content, status }) => `- [${status === "completed" ? "x" : " "}] ${cleanLine(content)}`);
    yield `\n## Plan\n\n${boxes.join("\n")}\n`;
  }
}

function entryMarkdown(entry: ThreadEntry, agentId: string): string {
  switch (entry.type) {
    case "message": {
      const text = messagePieces(entry)
        .map((piece) => (piece.type === "text" ? piece.text : pieceMarkdown(piece)))
        .join("\n\n")
        .trim();
      if (entry.kind === "reason")
        return `\n${text
          .split("\n")
          .map((line) => `> ${line}`)
          .join("\n")}\n`;
      return `\n## ${escapeInline(cleanLine(speakerOf(entry, agentId)))}\n\n${text}\n`;
    }
    case "tool_call": {
      const shown = toolCallPieces(entry).map(pieceMarkdown);
      return ["", toolCallHeading(entry), ...shown.flatMap((piece) => ["", piece]), ""].join("\n");
    }
    case "terminal":
      return `\n${fence("console", terminalText(entry))}\n`;
    case "permission":
      return `\n*Permission ${escapeInline(cleanLine(permissionText(entry)))}*\n`;
    case "elicitation":
      return `\n*Question: ${escapeInline(cleanLine(elicitationText(entry)))}*\n`;
    case "turn_end": {
      const ending = turnEnding(entry.turn);
      return ending === null ? "" : `\n**${escapeInline(cleanLine(ending))}**\n`;
    }
  }
}

function toolCallHeading(toolCall: ToolCallRow): string {
  const { title, kind, status } = toolCall;
  const time = callTime(toolCall);
  const took = time === "" ? "" : `, ${time}`;
  // Backticks in a title mark code. Everything else in it is literal text.
  return `### ${toolCallMark(status, plain)} ${cleanLine(title).replaceAll(/[<>]/g, "\\$&")} *(${cleanLine(kind)}${took})*`;
}

function pieceMarkdown(piece: Piece): string {
  switch (piece.type) {
    case "text":
      return fence("", piece.text);
    case "diff": {
      const lines = lineDiff(piece.oldText, piece.newText).map(({ sign, text }) =>
        sign === "@" ? `@@ ${text}` : `${sign}${text}`,
      );
      return `${code(piece.path)}\n\n${fence("diff", lines.join("\n"))}`;
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

function code(text: string): string {
  const clean = cleanLine(text);
  const longest = Math.max(0, ...[...clean.matchAll(/`+/g)].map(([run]) => run.length));
  const marks = "`".repeat(longest + 1);
  const space = clean.startsWith("`") || clean.endsWith("`") ? " " : "";
  return `${marks}${space}${clean}${space}${marks}`;
}

function escapeInline(text: string): string {
  return text.replaceAll(/[\\`*_[\]<>#]/g, "\\$&");
}
