// Every question that the register answers, by name. Each is a handful of index lookups on the reading connection.
import type { DatabaseSync } from "node:sqlite";
import type { Json, JsonObject, QueryName, ThreadRow, ThreadSnapshot } from "@signalbox/protocol";
import { BlobReader } from "../blobs/blob-reader.ts";
import { integer, text } from "../database/row.ts";
import { readThreadRecord, toThreadRow } from "../projection/thread-state.ts";
import { type BlobRange, type QueryPage, RegisterError } from "../register.ts";
import { FindableItems } from "../search/findable-items.ts";
import { SearchQuery } from "../search/search-query.ts";
import { threadIdOf } from "./arguments.ts";
import { BlobQuery } from "./blob-query.ts";
import { eventsQuery } from "./events-query.ts";
import { listQueries } from "./list-queries.ts";
import { Snapshots } from "./snapshots.ts";
import { statsQuery } from "./stats-query.ts";
import { ThreadsQuery } from "./threads-query.ts";
import { Timeline } from "./timeline.ts";

type Query = (args: JsonObject) => { readonly rows: readonly object[]; readonly next_cursor?: string };

export class Queries {
  readonly #thread;
  readonly #sizes;
  readonly #snapshots: Snapshots;
  readonly #blobs: BlobQuery;
  readonly #byName: Partial<Record<QueryName, Query>>;

  constructor(database: DatabaseSync, now: () => number) {
    this.#thread = database.prepare("SELECT * FROM threads WHERE id = ? AND deleting = 0");
    this.#sizes = {
      file: database.prepare("SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size"),
      // What the log holds of a thread and the blobs it uses; a blob that several use counts for each.
      perThread: database.prepare(
        `SELECT id, bytes + coalesce((
           SELECT sum(coalesce(length(blobs.bytes), (SELECT sum(length(c.bytes)) FROM blob_chunks AS c WHERE c.blob_id = blobs.id), 0))
           FROM blobs WHERE blobs.id IN (SELECT blob_id FROM blob_uses WHERE thread_id = threads.id)
         ), 0) AS bytes
         FROM threads WHERE deleting = 0 ORDER BY 2 DESC, id`,
      ),
    };
    const reader = new BlobReader(database);
    const timeline = new Timeline(database, reader);
    const threads = new ThreadsQuery(database);
    const search = new SearchQuery(database, new FindableItems(database, reader), reader);
    this.#blobs = new BlobQuery(reader);
    this.#snapshots = new Snapshots(database, reader, timeline);
    this.#byName = {
      ...listQueries(database, reader),
      "threads.list": (args) => threads.list(args),
      "timeline.list": (args) => timeline.list(args),
      "events.list": eventsQuery(database, reader),
      search: (args) => search.find(args),
      stats: statsQuery(database, now),
      "blob.get": (args) => this.#blobs.get(args),
    };
  }

  thread(threadId: string): ThreadRow | null {
    const row = this.#thread.get(threadId);
    return row === undefined ? null : toThreadRow(readThreadRecord(row));
  }

  snapshot(threadId: string, options: { after_seq?: number; limit?: number }): ThreadSnapshot {
    return this.#snapshots.take(this.#existing(threadId), options);
  }

  run(name: QueryName, args: JsonObject): QueryPage {
    const query = this.#byName[name];
    if (query === undefined) throw new RegisterError("bad_request", `The register does not answer ${name}.`);
    if (NEEDS_THREAD.has(name)) this.#existing(threadIdOf(args));
    const { rows, next_cursor: next } = query(args);
    // Rows are JSON by their types; an interface only lacks the index signature that says so.
    const page = { rows: rows as readonly (Json & object)[] as readonly JsonObject[] };
    return next === undefined ? page : { ...page, next_cursor: next };
  }

  blob(hash: string, range: { offset?: number; length?: number }): BlobRange {
    return this.#blobs.range(hash, range);
  }

  sizes(): { readonly file: number; readonly threads: readonly { thread_id: string; bytes: number }[] } {
    const { file, perThread } = this.#sizes;
    return {
      file: integer(file.get() ?? {}, "bytes"),
      threads: perThread.all().map((row) => ({ thread_id: text(row, "id"), bytes: integer(row, "bytes") })),
    };
  }

  #existing(threadId: string): ThreadRow {
    const thread = this.thread(threadId);
    if (thread === null) throw new RegisterError("not_found", `There is no thread ${threadId}.`);
    return thread;
  }
}

const NEEDS_THREAD: ReadonlySet<QueryName> = new Set<QueryName>([
  "messages.list",
  "tool_calls.list",
  "timeline.list",
  "turns.list",
  "events.list",
  "plan.get",
  "state.get",
  "terminals.list",
]);
