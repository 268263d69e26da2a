// Reads the text of a prompt: the @file or /command at the caret that can be completed, and the content blocks to send.
import type { ContentBlock } from "@signalbox/protocol";
import { lastName } from "../../text/paths.ts";

export interface Completion {
  readonly type: "file" | "command";
  /** The text after @ or /. */
  readonly typed: string;
  /** The position of @ or /. */
  readonly from: number;
}

/** A command is at the beginning of the prompt; a mention follows a space. */
export function findCompletion(text: string, caret: number): Completion | null {
  const before = text.slice(0, caret);
  const command = /^\/(\S*)$/.exec(before);
  if (command !== null) return { type: "command", typed: command[1] ?? "", from: 0 };
  const mention = /(?:^|\s)@(\S*)$/.exec(before);
  if (mention === null) return null;
  const typed = mention[1] ?? "";
  return { type: "file", typed, from: caret - typed.length - 1 };
}

/** Text and links in the order they were typed. A mention becomes a link to the file. */
export function promptBlocks(
  text: string,
  mentions: ReadonlySet<string>,
  folder: string,
  attachments: readonly ContentBlock[],
): readonly ContentBlock[] {
  const blocks: ContentBlock[] = [];
  const addText = (part: string) => {
    if (part !== "") blocks.push({ type: "text", text: part });
  };
  let from = 0;
  for (const match of text.matchAll(/(?<=^|\s)@(\S+)/g)) {
    const path = match[1] ?? "";
    if (!mentions.has(path)) continue;
    addText(text.slice(from, match.index));
    blocks.push({ type: "resource_link", uri: fileUri(path, folder), name: lastName(path) });
    from = match.index + match[0].length;
  }
  addText(text.slice(from));
  return [...blocks, ...attachments];
}

function fileUri(path: string, folder: string): string {
  const whole = path.startsWith("/") ? path : `${folder.replace(/\/$/, "")}/${path}`;
  return `file://${whole.split("/").map(encodeURIComponent).join("/")}`;
}

/** The text of a prompt, to edit it again. Links become mentions. */
export function textOfPrompt(blocks: readonly ContentBlock[]): string {
  return blocks
    .map((block) => {
      if (block.type === "text" && typeof block.text === "string") return block.text;
      return "name" in block && typeof block.name === "string" ? `@${block.name}` : "";
    })
    .join("");
}
