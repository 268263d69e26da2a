// The table of queries that the register answers, by name. Each is a handful of index lookups on the reading connection.
import type { DatabaseSync } from "node:sqlite";
import type { QueryArgs, QueryPage, RegisterQueryName } from "@signalbox/protocol";
import type { BlobReader } from "../blobs/blob-reader.ts";
import { FindableItems } from "../search/findable-items.ts";
import { SearchQuery } from "../search/search-query.ts";
import { blobQuery } from "./blob-query.ts";
import { elicitationsQuery } from "./elicitations-query.ts";
import { eventsQuery } from "./events-query.ts";
import { listQueries } from "./list-queries.ts";
import { statsQuery } from "./stats-query.ts";
import type { ThreadsQuery } from "./threads-query.ts";
import { Timeline } from "./timeline.ts";

export type QueryTable = {
  readonly [Name in RegisterQueryName]: (args: QueryArgs<Name>) => QueryPage<Name>;
};

export function queryTable(
  database: DatabaseSync,
  blobs: BlobReader,
  threads: ThreadsQuery,
  now: () => number,
): QueryTable {
  const timeline = new Timeline(database, blobs);
  const search = new SearchQuery(database, new FindableItems(database, blobs), blobs);
  /** Refuses a thread that is not there, instead of answering that it is empty. */
  const ofThread =
    <Args extends { readonly thread_id: string }, Page>(query: (args: Args) => Page) =>
    (args: Args): Page => {
      threads.get(args.thread_id);
      return query(args);
    };
  const lists = listQueries(database, blobs);
  return {
    "threads.list": (args) => threads.list(args),
    "timeline.list": ofThread((args) => timeline.list(args)),
    "messages.list": ofThread(lists.messages),
    "tool_calls.list": ofThread(lists.toolCalls),
    "terminals.list": ofThread(lists.terminals),
    "turns.list": ofThread(lists.turns),
    "plan.get": ofThread(lists.plan),
    "state.get": ofThread(lists.state),
    "events.list": ofThread(eventsQuery(database, blobs)),
    "permissions.list": lists.permissions,
    "elicitations.list": elicitationsQuery(database),
    search: (args) => search.find(args),
    stats: statsQuery(database, now),
    "blob.get": blobQuery(blobs),
  };
}
