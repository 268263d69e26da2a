// The thread so far as text, for an agent that has no memory of it: what it gets before the prompt when its own session is lost.
import type { ContentBlock, TimelineItem } from "@signalbox/protocol";

/** Enough to go on; the newest is kept. */
const mostCharacters = 24_000;

export function historyContext(timeline: readonly TimelineItem[]): ContentBlock | null {
  const lines: string[] = [];
  let size = 0;
  for (const item of timeline.toReversed()) {
    const line = lineOf(item);
    if (line === null) continue;
    size += line.length;
    if (size > mostCharacters) break;
    lines.unshift(line);
  }
  if (lines.length === 0) return null;
  const head =
    "This conversation began in an earlier session that is gone. What was said and done so far, newest last:";
  return {
    type: "text",
    text: `${head}\n\n${lines.join("\n\n")}\n\n(End of the earlier conversation. The new message follows.)`,
  };
}

function lineOf(item: TimelineItem): string | null {
  if (item.type === "tool_call") return `[tool call] ${item.title}: ${item.status}`;
  if (item.kind === "reason" || item.text === "") return null;
  return `${item.role === "user" ? "User" : "You"}: ${item.text}`;
}
