// Writes a thread as one self-contained HTML page: no scripts, no requests, and everything an agent wrote is escaped.
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

const style = `
:root { color-scheme: light dark; --line: #8884; --dim: #777; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 50rem; margin: 2rem auto; padding: 0 1rem; }
pre { font: 13px/1.45 ui-monospace, monospace; overflow: auto; max-height: 30rem; padding: .6rem .8rem; border: 1px solid var(--line); border-radius: 6px; }
.message { white-space: pre-wrap; overflow-wrap: anywhere; }
.thought, .about, .note { color: var(--dim); }
.thought { white-space: pre-wrap; border-left: 3px solid var(--line); padding-left: .8rem; }
section { margin: 1.2rem 0; }
h2 { font-size: 1rem; margin: 0 0 .3rem; }
ins { background: #2a82; text-decoration: none; } del { background: #c332; text-decoration: none; }
ins, del, .same { display: block; }
.failed { color: #c33; }
img { max-width: 100%; }
`;

export async function* writeThreadHtml({ thread, plan, entries }: ThreadReport): AsyncGenerator<string> {
  const title = escapeHtml(formatThreadTitle(thread));
  yield `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<title>${title}</title>
<style>${style}</style>
<main>
<h1>${title}</h1>
<p class="about">${[thread.agent_id, thread.cwd, thread.status, formatLocalTime(thread.created_at), thread.id].map(escapeHtml).join(" · ")}</p>
`;
  for await (const entry of entries) yield formatEntry(entry, thread.agent_id);
  if (plan !== null && plan.length > 0) {
    const items = plan.map(
      ({ content, status }) => `<li>${status === "completed" ? "✓ " : ""}${escapeHtml(content)}</li>`,
    );
    yield `<section><h2>Plan</h2><ul>${items.join("")}</ul></section>\n`;
  }
  yield "</main>\n</html>\n";
}

function formatEntry(entry: ThreadEntry, agentId: string): string {
  switch (entry.type) {
    case "message": {
      const body = readMessagePieces(entry).map((piece) =>
        piece.type === "text" ? `<div class="message">${escapeHtml(piece.text.trim())}</div>` : formatPiece(piece),
      );
      if (entry.kind === "reason") return `<section class="thought">${body.join("")}</section>\n`;
      return `<section><h2>${escapeHtml(nameSpeaker(entry, agentId))}</h2>${body.join("")}</section>\n`;
    }
    case "tool_call":
      return `<section>${formatToolCallHeading(entry)}${readToolCallPieces(entry).map(formatPiece).join("")}</section>\n`;
    case "terminal":
      return `<pre>${escapeHtml(formatTerminal(entry))}</pre>\n`;
    case "permission":
      return `<p class="note">Permission ${escapeHtml(describePermission(entry))}</p>\n`;
    case "elicitation":
      return `<p class="note">Question: ${escapeHtml(describeElicitation(entry))}</p>\n`;
    case "turn_end": {
      const ending = describeTurnEnding(entry.turn);
      return ending === null ? "" : `<p class="failed">${escapeHtml(ending)}</p>\n`;
    }
  }
}

function formatToolCallHeading(toolCall: ToolCallRow): string {
  const { title, kind, status } = toolCall;
  const time = formatCallTime(toolCall);
  const took = time === "" ? "" : `, ${time}`;
  return `<h2>${chooseToolCallMark(status, plain)} ${escapeHtml(cleanLine(title))} <span class="note">(${escapeHtml(kind)}${took})</span></h2>`;
}

function formatPiece(piece: Piece): string {
  switch (piece.type) {
    case "text":
      return `<pre>${escapeHtml(piece.text)}</pre>`;
    case "diff": {
      const tags = { " ": 'span class="same"', "@": 'span class="same note"', "-": "del", "+": "ins" } as const;
      const lines = diffLines(piece.oldText, piece.newText).map(({ sign, text }) => {
        const tag = tags[sign];
        return `<${tag}>${sign} ${escapeHtml(text)}</${tag.split(" ")[0]}>`;
      });
      return `<p><code>${escapeHtml(piece.path)}</code></p><pre>${lines.join("")}</pre>`;
    }
    case "image":
      return /^image\/(?:png|jpeg|gif|webp)$/.test(piece.mimeType) && /^[\w+/=\s-]*$/.test(piece.data)
        ? `<img alt="" src="data:${piece.mimeType};base64,${piece.data}">`
        : `<p class="note">[image: ${escapeHtml(piece.mimeType)}]</p>`;
    case "link":
      // Not clickable: the agent chose the address.
      return `<p class="note">${escapeHtml(piece.name)}: <code>${escapeHtml(piece.uri)}</code></p>`;
    case "other":
      return `<p class="note">[${escapeHtml(piece.name)}]</p>`;
  }
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (letter) => entities[letter] ?? "");
}
