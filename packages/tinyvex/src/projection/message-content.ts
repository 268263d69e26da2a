// Stores the blocks of a message that has more than text. A text block is stored as a range of the message's text, so that no text is stored
// twice and a chunk does not rewrite all blocks.
import type { ContentBlock, Json } from "@signalbox/protocol";
import { isContentBlock, isJsonObject } from "@signalbox/protocol";

export type StoredBlock =
  | { readonly text_range: readonly [start: number, end: number] }
  | { readonly block: ContentBlock };

/** Adds a run of text that ends at `end`; it joins a run that it follows. */
export function withText(blocks: readonly StoredBlock[], start: number, end: number): readonly StoredBlock[] {
  const last = blocks.at(-1);
  if (last !== undefined && "text_range" in last && last.text_range[1] === start) {
    return [...blocks.slice(0, -1), { text_range: [last.text_range[0], end] }];
  }
  return end > start ? [...blocks, { text_range: [start, end] }] : blocks;
}

/** The blocks as ACP spells them. `text` is the message's text, or the part of it that begins at `offset`. */
export function toContent(blocks: readonly StoredBlock[], text: string, offset: number): readonly ContentBlock[] {
  return blocks.map((stored) => {
    if ("block" in stored) return stored.block;
    const [start, end] = stored.text_range;
    return { type: "text", text: text.slice(Math.max(0, start - offset), Math.max(0, end - offset)) };
  });
}

export function isStoredBlock(value: Json): value is StoredBlock & Json {
  if (!isJsonObject(value)) return false;
  const { block, text_range: range } = value;
  return (
    isContentBlock(block) || (Array.isArray(range) && typeof range[0] === "number" && typeof range[1] === "number")
  );
}
