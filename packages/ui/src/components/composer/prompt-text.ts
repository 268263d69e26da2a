// What is typed, read as a prompt: the word at the caret that asks for a suggestion (@file, /command), and the content blocks that are sent.
import type { ContentBlock } from "@signalbox/protocol";
import { lastName } from "../../text/paths.ts";

export interface Asked {
  readonly type: "file" | "command";
  /** What was typed after the sign. */
  readonly typed: string;
  /** Where the sign stands. */
  readonly from: number;
}

/** A command stands at the very beginning; a mention after a space. */
export function askedAt(text: string, caret: number): Asked | null {
  const before = text.slice(0, caret);
  const command = /^\/(\S*)$/.exec(before);
  if (command !== null) return { type: "command", typed: command[1] ?? "", from: 0 };
  const mention = /(?:^|\s)@(\S*)$/.exec(before);
  if (mention === null) return null;
  const typed = mention[1] ?? "";
  return { type: "file", typed, from: caret - typed.length - 1 };
}

/** Text and links in the order they were typed; the agent gets a mention as a link to the file. */
export function promptBlocks(
  text: string,
  mentions: ReadonlySet<string>,
  folder: string,
  attachments: readonly ContentBlock[],
): readonly ContentBlock[] {
  const blocks: ContentBlock[] = [];
  const say = (part: string) => {
    if (part !== "") blocks.push({ type: "text", text: part });
  };
  let from = 0;
  for (const match of text.matchAll(/(?<=^|\s)@(\S+)/g)) {
    const path = match[1] ?? "";
    if (!mentions.has(path)) continue;
    say(text.slice(from, match.index));
    blocks.push({ type: "resource_link", uri: fileUri(path, folder), name: lastName(path) });
    from = match.index + match[0].length;
  }
  say(text.slice(from));
  return [...blocks, ...attachments];
}

function fileUri(path: string, folder: string): string {
  const whole = path.startsWith("/") ? path : `${folder.replace(/\/$/, "")}/${path}`;
  return `file://${whole.split("/").map(encodeURIComponent).join("/")}`;
}

/** The words of a prompt, for editing it again. Links become mentions. */
export function textOfPrompt(blocks: readonly ContentBlock[]): string {
  return blocks
    .map((block) => {
      if (block.type === "text" && typeof block.text === "string") return block.text;
      return "name" in block && typeof block.name === "string" ? `@${block.name}` : "";
    })
    .join("");
}
