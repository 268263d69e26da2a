// Reads large texts in full. A row has only their beginning and a reference to the blob with the rest.
import { isJsonObject, type Json, type JsonObject } from "@signalbox/protocol";
import { RegisterError, type RegisterReader } from "../register.ts";

export type BlobSource = Pick<RegisterReader, "readBlob">;

const missing = "of this text is missing in the register.]";

/**
 * Wraps a source of blobs for a file that a person will read. A text that the register has lost becomes a notice, because a reader would
 * believe a file that only looks complete.
 */
export function addMissingNotices(register: BlobSource): BlobSource {
  const readBlob: BlobSource["readBlob"] = async (hash) => {
    try {
      const blob = await register.readBlob(hash);
      const lost = blob.size - blob.bytes.length;
      if (lost <= 0) return blob;
      return {
        ...blob,
        bytes: Buffer.concat([blob.bytes, Buffer.from(`\n[${lost} of ${blob.size} bytes ${missing}`)]),
      };
    } catch (error) {
      if (!(error instanceof RegisterError) || error.code !== "not_found") throw error;
      const bytes = Buffer.from(`[All ${missing}`);
      return { hash, size: bytes.length, offset: 0, bytes };
    }
  };
  return { readBlob };
}

export async function readWholeText(register: BlobSource, hash: string): Promise<string> {
  const { bytes } = await register.readBlob(hash);
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}

/** Replaces every truncated string by the whole one. `_meta` keeps its hash. */
export async function readWholeValue(register: BlobSource, value: Json): Promise<Json> {
  if (Array.isArray(value)) return await readWholeList(register, value);
  if (!isJsonObject(value)) return value;
  const whole: Record<string, Json> = {};
  for (const [key, field] of Object.entries(value)) {
    if (field !== undefined) whole[key] = key === "_meta" ? field : await readWholeValue(register, field);
  }
  for (const [key, hash] of listBlobRefs(value)) whole[key] = await readWholeText(register, hash);
  return whole;
}

/** A list that was too big for its row is one text with the beginning of its JSON. */
async function readWholeList(register: BlobSource, list: readonly Json[]): Promise<Json> {
  const [only] = list;
  const block = isJsonObject(only) && isJsonObject(only.content) ? only.content : {};
  const meta = isJsonObject(block._meta) ? block._meta : {};
  const ref = meta["signalbox/blob"];
  if (list.length === 1 && meta["signalbox/json"] === true && isJsonObject(ref) && typeof ref.hash === "string") {
    const text = await readWholeText(register, ref.hash);
    if (text.endsWith(missing)) return [{ type: "content", content: { type: "text", text } }];
    const parsed: Json = JSON.parse(text);
    return await readWholeValue(register, parsed);
  }
  return await Promise.all(list.map((item) => readWholeValue(register, item)));
}

function listBlobRefs({ _meta: meta }: JsonObject): readonly (readonly [string, string])[] {
  if (!isJsonObject(meta)) return [];
  const fields = meta["signalbox/blobs"];
  const named = isJsonObject(fields) ? Object.entries(fields) : [];
  return [["text", meta["signalbox/blob"]] as const, ...named].flatMap(([key, ref]) =>
    isJsonObject(ref) && typeof ref.hash === "string" ? [[key, ref.hash] as const] : [],
  );
}
