// Puts the large texts of a message back in full: a row has only their beginning, an exported file needs all of it.
import type { MessageRow } from "@signalbox/protocol";
import { type Blobs, wholeText, wholeValue } from "../data/whole-values.ts";

export async function wholeMessage<Row extends MessageRow>(register: Blobs, row: Row): Promise<Row> {
  const content = row.content === null ? null : await wholeValue(register, row.content);
  const whole = { ...row, content: content as Row["content"] };
  if (row.text_ref === null || row.text.length >= row.text_len) return whole;
  const text = await wholeText(register, row.text_ref.hash);
  return { ...whole, text, text_offset: 0, content: withText(whole.content, row.text, text) as Row["content"] };
}

/** Puts the whole text into the block that had its beginning. */
function withText(content: MessageRow["content"], shown: string, whole: string): MessageRow["content"] {
  return content?.map((block) => (block.text === shown ? { ...block, text: whole } : block)) ?? null;
}
