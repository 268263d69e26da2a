// The table of queries that the register answers, by name. Each is a handful of index lookups on the reading connection.
import type { DatabaseSync } from "node:sqlite";
import type { QueryArgs, QueryPage, RegisterQueryName } from "@signalbox/protocol";
import type { BlobReader } from "../blobs/blob-reader.ts";
import { buildSelect } from "../database/table.ts";
import { planTable, stateTable } from "../database/tables.ts";
import { FindableItems } from "../search/findable-items.ts";
import { SearchQuery } from "../search/search-query.ts";
import { blobQuery } from "./blob-query.ts";
import { changedFilesQuery } from "./changed-files-query.ts";
import { eventsQuery } from "./events-query.ts";
import { facetsQuery } from "./facets-query.ts";
import { elicitationsQuery, permissionsQuery, questionsQuery } from "./question-queries.ts";
import { readTurn } from "./rows.ts";
import { statsQuery } from "./stats-query.ts";
import { threadCostsQuery } from "./thread-costs-query.ts";
import { listsBesideTimeline, timelineLists } from "./thread-lists.ts";
import type { ThreadsQuery } from "./threads-query.ts";
import { Timeline } from "./timeline.ts";
import { toolCallsQuery } from "./tool-calls-query.ts";

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
  const { messages, prompts, toolCalls } = timelineLists(database, blobs);
  const { turns, permissions, elicitations, terminals } = listsBesideTimeline(database, blobs);
  const listToolCalls = toolCallsQuery(database, toolCalls);
  const byPrompt = database.prepare("SELECT * FROM turns WHERE thread_id = ? AND prompt_id = ?");
  const plan = buildSelect(database, planTable, "WHERE thread_id = ?");
  const findState = buildSelect(database, stateTable, "WHERE thread_id = ?");
  return {
    "threads.list": (args) => threads.list(args),
    "timeline.list": ofThread((args) => timeline.list(args)),
    "messages.list": ofThread((args) => (args.role === "user" ? prompts : messages).page(args)),
    "tool_calls.list": (args) => {
      if (typeof args.thread_id === "string") threads.get(args.thread_id);
      return listToolCalls(args);
    },
    "changed_files.list": ofThread(changedFilesQuery(database)),
    "facets.list": facetsQuery(database),
    "questions.list": questionsQuery(database),
    "terminals.list": ofThread((args) => terminals.page(args)),
    "turns.list": ofThread((args) => {
      const { thread_id, prompt_id } = args;
      if (prompt_id === undefined || prompt_id === null) return turns.page(args);
      return { rows: byPrompt.all(thread_id, prompt_id).map(readTurn) };
    }),
    "plan.get": ofThread(({ thread_id }) => ({ rows: plan(thread_id) })),
    "state.get": ofThread(({ thread_id }) => ({ rows: findState(thread_id) })),
    "events.list": ofThread(eventsQuery(database, blobs)),
    "permissions.list": permissionsQuery(database, permissions),
    "elicitations.list": elicitationsQuery(database, elicitations),
    search: (args) => search.find(args),
    stats: statsQuery(database, now),
    "thread_costs.list": threadCostsQuery(database, now),
    "blob.get": blobQuery(blobs),
  };
}
