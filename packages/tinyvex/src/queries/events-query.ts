// `events.list`: the log of a thread as it was written. A big string is shown by its beginning, and `blobs` says where in
// the payload it stands and where the whole lies; with `full` everything is put back.
import type { DatabaseSync } from "node:sqlite";
import type { EventRow, Json, QueryArgs } from "@signalbox/protocol";
import { isJsonObject } from "@signalbox/protocol";
import { type BlobReader, nameOf } from "../blobs/blob-reader.ts";
import { PREVIEW_BYTES } from "../blobs/limits.ts";
import { integer, parseJson, type Row, text, textOrNull } from "../database/row.ts";
import type { Cut } from "../log/cut.ts";
import { bigText, cutsFromColumn, isBigCut, unpack } from "../log/payload-packing.ts";
import { pageOf, SeqTable, seqRangeOf } from "./seq-pages.ts";

type EventBlob = NonNullable<EventRow["blobs"]>[number];

export function eventsQuery(database: DatabaseSync, blobs: BlobReader) {
  const events = new SeqTable(database, "acp_events");
  return (args: QueryArgs<"events.list">): { readonly rows: readonly EventRow[]; readonly next_cursor?: string } => {
    const range = seqRangeOf(args);
    const isFull = args.full === true;
    const rows = events.read(args.thread_id, range).map((row) => ({ seq: integer(row, "seq"), row }));
    const { items, nextCursor } = pageOf(rows, range);
    const page = { rows: items.map(({ row }) => toEventRow(row, blobs, isFull)) };
    return nextCursor === undefined ? page : { ...page, next_cursor: nextCursor };
  };
}

function toEventRow(row: Row, blobs: BlobReader, isFull: boolean): EventRow {
  const cuts = cutsFromColumn(textOrNull(row, "refs"));
  const stored = text(row, "payload");
  const head = {
    thread_id: text(row, "thread_id"),
    seq: integer(row, "seq"),
    ts: integer(row, "ts"),
    kind: text(row, "kind"),
  };
  if (cuts.length === 0) return { ...head, payload: parseJson(stored) };
  const hasBig = cuts.some(isBigCut) && !isFull;
  const payload = parseJson(unpack(stored, cuts, blobs, hasBig ? "mark" : "text"));
  if (!hasBig) return { ...head, payload };
  const found: EventBlob[] = [];
  return { ...head, payload: preview(payload, "", { cuts, blobs, found }), blobs: found };
}

interface Previews {
  readonly cuts: readonly Cut[];
  readonly blobs: BlobReader;
  readonly found: EventBlob[];
}

/** Puts the beginning of each big string where it stands, and notes its JSON Pointer. */
function preview(value: Json, path: string, previews: Previews): Json {
  if (Array.isArray(value)) return value.map((item, index) => preview(item, `${path}/${index}`, previews));
  if (isJsonObject(value)) {
    const fields = Object.entries(value).map(([key, field]) => {
      const step = key.replaceAll("~", "~0").replaceAll("/", "~1");
      return [key, preview(field ?? null, `${path}/${step}`, previews)] as const;
    });
    return Object.fromEntries(fields);
  }
  const cut = bigText(previews.cuts, value);
  const blob = cut === null ? null : previews.blobs.byId(cut.blobId);
  if (cut === null || blob === null) return value;
  previews.found.push({ path, hash: nameOf(blob), size: cut.end - cut.start });
  return previews.blobs.text(blob, cut.start, cut.start + PREVIEW_BYTES);
}
