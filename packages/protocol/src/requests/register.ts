// Queries that the register answers.
import { z } from "zod";
import type {
  BlobRow,
  ChangedFileRow,
  EventRow,
  FacetRow,
  ListedToolCallRow,
  QuestionRow,
  SearchHitRow,
  StatsRow,
  ThreadCostRow,
  ThreadSummaryRow,
  TimelineItem,
} from "../rows.ts";
import type {
  ElicitationRow,
  MessageRow,
  PermissionRow,
  PlanRow,
  TerminalRow,
  ThreadStateRow,
  TurnRow,
} from "../tables.ts";
import { type QueryDefinition, result } from "./define.ts";
import { count, flag, nothing, page, seqPage, text, threadPage } from "./fields.ts";

const ofThread = z.object({ thread_id: z.string() });

export const registerQueries = {
  "threads.list": {
    about: "Threads, the most recently active first.",
    params: z.object({
      ...page,
      archived: flag,
      pinned: flag,
      text: text.describe("words that all occur in the title, the folder, or the agent's id or label"),
      updated_before: count,
      newest_first: flag.describe("by activity, even with words"),
      agent_labels: z.record(z.string(), z.string()).nullish().describe("labels of agents by id; the host adds them"),
      agent_id: text,
      cwd: text,
      status: text,
    }),
    row: result<ThreadSummaryRow>(),
  },
  "messages.list": {
    about: "The messages of a thread.",
    params: threadPage.extend({ role: z.literal("user").nullish().describe("only prompts") }),
    row: result<MessageRow>(),
  },
  "tool_calls.list": {
    about: "The tool calls of a thread, or without a thread those of all threads, the newest first.",
    params: z.object({
      thread_id: text,
      ...seqPage,
      name: text.describe("the tool's name"),
      kind: text,
      status: text,
      agent_id: text,
      cwd: text,
      since: count,
      until: count,
    }),
    row: result<ListedToolCallRow>(),
  },
  "timeline.list": {
    about: "Messages and tool calls of a thread, interleaved by `seq`.",
    params: threadPage,
    row: result<TimelineItem>(),
  },
  "terminals.list": { about: "The terminals of a thread.", params: threadPage, row: result<TerminalRow>() },
  "turns.list": {
    about: "The turns of a thread.",
    params: threadPage.extend({ prompt_id: text }),
    row: result<TurnRow>(),
  },
  "events.list": {
    about: "The log of a thread.",
    params: threadPage.extend({ full: flag.describe("with big strings whole in the payload") }),
    row: result<EventRow>("thread_id", "seq", "ts", "kind", "payload"),
  },
  "questions.list": {
    about: "Everything that waits for a person, in all threads, the oldest first.",
    params: z.object(page),
    row: result<QuestionRow>(),
  },
  "changed_files.list": {
    about:
      "The files that a thread changed, by its checkpoints; where it has none, those in the diffs of its completed tool calls.",
    params: ofThread.extend(page),
    row: result<ChangedFileRow>(),
  },
  "facets.list": {
    about: "The agents and folders of all threads, and the kinds of items that a search can find.",
    params: nothing,
    row: result<FacetRow>(),
  },
  "permissions.list": {
    about: "The permissions of a thread, or without a thread all that wait for an answer.",
    params: z.object({ thread_id: text, ...seqPage }),
    row: result<PermissionRow>(),
  },
  "elicitations.list": {
    about: "The forms and links of a thread, or without a thread those of all; pending ones, unless a status is given.",
    params: z.object({
      thread_id: text,
      status: z.enum(["pending", "accepted", "declined", "cancelled"]).nullish(),
      ...seqPage,
    }),
    row: result<ElicitationRow>(),
  },
  "plan.get": { about: "The plan of a thread.", params: ofThread, row: result<PlanRow>() },
  "state.get": {
    about: "Modes, options, commands and usage of a thread.",
    params: ofThread,
    row: result<ThreadStateRow>(),
  },
  search: {
    about: "Items that contain all words, and threads by their title (their `item` is `thread`).",
    params: z.object({
      text: z.string(),
      ...page,
      thread_id: text,
      agent_id: text,
      cwd: text,
      kind: text,
      status: text,
      since: count,
      until: count,
    }),
    row: result<SearchHitRow>(),
  },
  stats: {
    about: "Counts, durations, tokens and cost, by group.",
    params: z.object({
      since: count,
      until: count,
      agent_id: text,
      group_by: z
        .array(z.enum(["day", "agent_id", "kind", "name", "path"]))
        .readonly()
        .nullish()
        .describe("`path` only alone"),
      utc_offset_minutes: z
        .number()
        .min(-14 * 60)
        .max(14 * 60)
        .nullish()
        .describe("minutes east of UTC, for the beginning of a day"),
      limit: count,
    }),
    row: result<StatsRow>(),
  },
  "thread_costs.list": {
    about: "Usage per thread in a span of time (default: the last 30 days), most expensive first.",
    params: z.object({ since: count, until: count, limit: count }),
    row: result<ThreadCostRow>(),
  },
  "blob.get": {
    about: "A part of a blob; `offset` and `length` count bytes.",
    params: z.object({ hash: z.string(), offset: count, length: count }),
    row: result<BlobRow>("hash", "size", "offset", "length", "encoding", "data"),
  },
} as const satisfies Record<string, QueryDefinition>;
