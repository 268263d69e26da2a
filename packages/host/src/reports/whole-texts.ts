// Puts large texts back in full: a row has only their beginning, an exported file needs all of it.
import { isJsonObject, type Json, type JsonObject, type MessageRow } from "@signalbox/protocol";
import type { ReportSource } from "./thread-entries.ts";

export async function wholeText(register: ReportSource, hash: string): Promise<string> {
  const { bytes } = await register.readBlob(hash);
  return new TextDecoder().decode(bytes);
}

export async function wholeMessage<Row extends MessageRow>(register: ReportSource, row: Row): Promise<Row> {
  const content = row.content === null ? null : await wholeValue(register, row.content);
  const whole = { ...row, content: content as Row["content"] };
  if (row.text_ref === null || row.text.length >= row.text_len) return whole;
  const text = await wholeText(register, row.text_ref.hash);
  return { ...whole, text, text_offset: 0, content: withText(whole.content, row.text, text) as Row["content"] };
}

/** Replaces every truncated string by the whole one. `_meta` keeps its hash. */
export async function wholeValue(register: ReportSource, value: Json): Promise<Json> {
  if (Array.isArray(value)) return await Promise.all(value.map((item: Json) => wholeValue(register, item)));
  if (!isJsonObject(value)) return value;
  const whole: Record<string, Json> = {};
  for (const [key, field] of Object.entries(value)) {
    if (field !== undefined) whole[key] = key === "_meta" ? field : await wholeValue(register, field);
  }
  for (const [key, hash] of refsIn(value)) whole[key] = await wholeText(register, hash);
  return whole;
}

function refsIn({ _meta: meta }: JsonObject): readonly (readonly [string, string])[] {
  if (!isJsonObject(meta)) return [];
  const fields = meta["signalbox/blobs"];
  const named = isJsonObject(fields) ? Object.entries(fields) : [];
  return [["text", meta["signalbox/blob"]] as const, ...named].flatMap(([key, ref]) =>
    isJsonObject(ref) && typeof ref.hash === "string" ? [[key, ref.hash] as const] : [],
  );
}

/** Puts the whole text into the block that had its beginning. */
function withText(content: MessageRow["content"], shown: string, whole: string): MessageRow["content"] {
  return content?.map((block) => (block.text === shown ? { ...block, text: whole } : block)) ?? null;
}
