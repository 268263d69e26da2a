// Every query by name: what it takes and what a row of its answer is. The arguments are schemas, checked once where a client's request
// arrives; everywhere else they and the rows are types.
import { z } from "zod";
import type {
  AgentActivityRow,
  AgentSessionRow,
  BlobRow,
  BudgetRow,
  ChangeDiffRow,
  ChangedFileRow,
  ChangeRow,
  EventRow,
  FacetRow,
  FileRow,
  FolderRow,
  GitStateRow,
  ListedToolCallRow,
  MachineRow,
  PortRow,
  ProcessRow,
  QuestionRow,
  RetentionRow,
  SearchHitRow,
  SizesRow,
  StatsRow,
  ThreadCostRow,
  ThreadSummaryRow,
  TimelineItem,
} from "./rows.ts";
import type { RuleRow } from "./rule-row.ts";
import type { AgentRow, ConfigRow, DeviceRow, SetupRow } from "./setup-rows.ts";
import type {
  ElicitationRow,
  MessageRow,
  PermissionRow,
  PlanRow,
  TerminalRow,
  ThreadStateRow,
  TurnRow,
} from "./tables.ts";

const text = z.string().nullish();
const count = z.number().int().nonnegative().nullish();
const threadId = z.string();
/** A page of a list: at most `limit` rows, from where `cursor` (an earlier answer's `next_cursor`) says. */
const page = { limit: count, cursor: text };
/** A page of what is in a thread, by `seq`: the newest first, or what comes after or before a place. */
const seqPage = { ...page, after_seq: count, before_seq: count };
const ofThread = z.object({ thread_id: threadId, ...seqPage });
const nothing = z.object({});

/** What the register answers. */
const registerQueryArgs = {
  "threads.list": z.object({
    ...page,
    archived: z.boolean().nullish(),
    /** Only those that are pinned. */
    pinned: z.boolean().nullish(),
    /** Words that all occur in its title, its folder or its agent's id or label, in any case. Threads that have them side by side come first. */
    text,
    /** Only those without activity since then. */
    updated_before: count,
    /** By activity only, also with words. */
    newest_first: z.boolean().nullish(),
    /** What agents are called, by id. The host adds it. */
    agent_labels: z.record(z.string(), z.string()).nullish(),
    agent_id: text,
    cwd: text,
    status: text,
  }),
  /** With the role `user`: only prompts. */
  "messages.list": z.object({ ...ofThread.shape, role: z.literal("user").nullish() }),
  /** Without a thread: those of all threads, the newest first, narrowed down by the fields below, each with its thread's title, agent and folder. */
  "tool_calls.list": z.object({
    thread_id: text,
    ...seqPage,
    /** The tool's name. */
    name: text,
    kind: text,
    status: text,
    agent_id: text,
    cwd: text,
    since: count,
    until: count,
  }),
  "timeline.list": ofThread,
  "terminals.list": ofThread,
  "turns.list": ofThread.extend({ prompt_id: text }),
  /** With `full`, big strings stand in the payload whole. */
  "events.list": ofThread.extend({ full: z.boolean().nullish() }),
  /** Everything that waits for a person, in all threads, the oldest first. */
  "questions.list": z.object(page),
  /** The files that a thread's completed tool calls changed, the last one first. */
  "changed_files.list": z.object({ thread_id: threadId, ...page }),
  /** The agents and folders of all threads, and the kinds of what can be found. */
  "facets.list": nothing,
  /** Without a thread: every permission that waits for an answer, in all threads. */
  "permissions.list": z.object({ thread_id: text, ...seqPage }),
  /** Without a thread: those of all threads, the oldest first; those that wait for an answer, unless a status is named. */
  "elicitations.list": z.object({
    thread_id: text,
    status: z.enum(["pending", "accepted", "declined", "cancelled"]).nullish(),
    ...seqPage,
  }),
  "plan.get": z.object({ thread_id: threadId }),
  "state.get": z.object({ thread_id: threadId }),
  search: z.object({
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
  stats: z.object({
    since: count,
    until: count,
    agent_id: text,
    /** `path` only alone. */
    group_by: z
      .array(z.enum(["day", "agent_id", "kind", "name", "path"]))
      .readonly()
      .nullish(),
    /** Minutes east of UTC: a day begins where the person lives. */
    utc_offset_minutes: z
      .number()
      .min(-14 * 60)
      .max(14 * 60)
      .nullish(),
    limit: count,
  }),
  /** What threads used in a span of time (the last 30 days unless said otherwise), the dearest first. */
  "thread_costs.list": z.object({ since: count, until: count, limit: count }),
  /** `offset` and `length` count bytes. */
  "blob.get": z.object({ hash: z.string(), offset: count, length: count }),
};

/** What the host answers itself. */
const hostQueryArgs = {
  /** With `versions`, each installed agent is asked for its version. */
  "agents.list": z.object({ versions: z.boolean().nullish() }),
  /** The sessions that an agent itself remembers, where it can list them. */
  "agent_sessions.list": z.object({ agent_id: z.string(), cwd: text, cursor: text }),
  /** Files of a thread's folder, or of any folder, whose path holds the query: for @-mentions. */
  "files.find": z.object({ thread_id: text, cwd: text, query: z.string() }),
  /** Which of these are files of a thread's folder; `name` is the path from there. */
  "files.check": z.object({ thread_id: threadId, paths: z.array(z.string().min(1).max(1000)).max(100) }),
  /** Folders that begin like the text: for choosing one. */
  "folders.complete": z.object({ prefix: z.string() }),
  /** The ports on which programs of a thread listen, and those that are open to the browser. */
  "ports.list": z.object({ thread_id: threadId }),
  /** What a turn changed on the disk, or without a turn the thread from its first prompt to its last end. By path. */
  "changes.list": z.object({ thread_id: threadId, turn_id: text }),
  /** The difference of one file. One row; none when the file did not change. */
  "changes.diff": z.object({ thread_id: threadId, path: z.string(), turn_id: text }),
  /** What git says of a thread's folder, or of any folder. One row; none where there is no repository. */
  "git.state": z.object({ thread_id: text, cwd: text }),
  "rules.list": nothing,
  /** The user's config.json, without what may be secret in it. One row. */
  "config.get": nothing,
  /** The machines that share their threads, this one first; none where nothing is shared. */
  "machines.list": nothing,
  /** The paired devices. */
  "devices.list": nothing,
  /** The public key by which push services know this host. One row. */
  "push.get": nothing,
  /** This machine: keys present, Ollama, the state of the sandbox. One row. */
  "setup.get": nothing,
  /** What was spent of the budget of today, and of the one of a thread's session where there is one. */
  "budgets.get": z.object({ thread_id: text }),
  /** How many threads would be deleted now with a retention of so many days. One row. */
  "retention.preview": z.object({ days: z.number().positive() }),
  /** Bytes of each thread and of the file. One row. */
  "sizes.list": nothing,
  /** Processes of agents and commands that run now. */
  "processes.list": z.object({ thread_id: text }),
  /** What the agent of a thread does at its start, prints, and has open. One row; none when it does not run. */
  "agents.activity": z.object({ thread_id: threadId }),
};

const queryArgs = { ...registerQueryArgs, ...hostQueryArgs };

interface QueryRows {
  "threads.list": ThreadSummaryRow;
  "messages.list": MessageRow;
  "tool_calls.list": ListedToolCallRow;
  "timeline.list": TimelineItem;
  "terminals.list": TerminalRow;
  "turns.list": TurnRow;
  "events.list": EventRow;
  "questions.list": QuestionRow;
  "changed_files.list": ChangedFileRow;
  "facets.list": FacetRow;
  "permissions.list": PermissionRow;
  "elicitations.list": ElicitationRow;
  "plan.get": PlanRow;
  "state.get": ThreadStateRow;
  search: SearchHitRow;
  stats: StatsRow;
  "thread_costs.list": ThreadCostRow;
  "blob.get": BlobRow;
  "agents.list": AgentRow;
  "agent_sessions.list": AgentSessionRow;
  "files.find": FileRow;
  "files.check": FileRow;
  "folders.complete": FolderRow;
  "ports.list": PortRow;
  "changes.list": ChangeRow;
  "changes.diff": ChangeDiffRow;
  "git.state": GitStateRow;
  "rules.list": RuleRow;
  "config.get": ConfigRow;
  "machines.list": MachineRow;
  "devices.list": DeviceRow;
  "push.get": { readonly public_key: string };
  "setup.get": SetupRow;
  "budgets.get": BudgetRow;
  "retention.preview": RetentionRow;
  "sizes.list": SizesRow;
  "processes.list": ProcessRow;
  "agents.activity": AgentActivityRow;
}

export type QueryName = keyof typeof queryArgs;
export type RegisterQueryName = keyof typeof registerQueryArgs;

/** The map from a query's name to its arguments and its row. */
export type Queries = {
  readonly [Name in QueryName]: { readonly args: z.infer<(typeof queryArgs)[Name]>; readonly row: QueryRows[Name] };
};

export type QueryArgs<Name extends QueryName> = Queries[Name]["args"];
export type QueryRow<Name extends QueryName> = Queries[Name]["row"];

/** Rows of one query, and where the next page begins. */
export interface QueryPage<Name extends QueryName> {
  readonly rows: readonly QueryRow<Name>[];
  readonly next_cursor?: string;
}

/** Whatever answers queries by name: the register, a host, a client of one. */
export type RunQuery<Names extends QueryName = QueryName> = <Name extends Names>(
  name: Name,
  args: QueryArgs<Name>,
) => Promise<QueryPage<Name>>;

/** A query with its arguments: one type per name, so that a switch over `name` knows the arguments. */
export type QueryRequest = {
  [Name in QueryName]: { readonly name: Name; readonly args: QueryArgs<Name> };
}[QueryName];

export const queryNames = Object.keys(queryArgs) as QueryName[];

/** Checks the arguments of a client's query. Throws a ZodError that says which is wrong. */
export function parseQuery(name: QueryName, args: unknown): QueryRequest {
  // The schema of a name gives the arguments of that name.
  return { name, args: queryArgs[name].parse(args) } as QueryRequest;
}
