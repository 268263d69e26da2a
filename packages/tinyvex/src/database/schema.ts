// The tables of the register, as the migrations make them. `acp_events` and `blobs` are the truth; everything else is a projection that
// `rebuild` can make again. (`projects` and `threads.project_id` are empty: nothing writes or reads them any more.)

export const applicationId = 0x53_42_4f_58;

const firstSchema = `
CREATE TABLE projects(
  id TEXT PRIMARY KEY, name TEXT NOT NULL, path TEXT NOT NULL UNIQUE,
  created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL
) STRICT;

CREATE TABLE threads(
  id TEXT PRIMARY KEY, agent_id TEXT NOT NULL, session_id TEXT, cwd TEXT NOT NULL,
  title TEXT, title_by TEXT, status TEXT NOT NULL, rest_status TEXT NOT NULL, current_mode_id TEXT,
  archived INTEGER NOT NULL, deleting INTEGER NOT NULL DEFAULT 0,
  parent_thread_id TEXT, project_id TEXT REFERENCES projects(id),
  created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, last_seq INTEGER NOT NULL,
  message_count INTEGER NOT NULL, tool_call_count INTEGER NOT NULL, bytes INTEGER NOT NULL
) STRICT;
CREATE INDEX threads_by_activity ON threads(deleting, archived, updated_at, id);

-- id is the order over all threads, in which a rebuild replays the log. No foreign key: a rebuild drops the threads and
-- makes them again from here, and the check would be a tenth of what storing an event costs.
CREATE TABLE acp_events(
  id INTEGER PRIMARY KEY, thread_id TEXT NOT NULL, seq INTEGER NOT NULL,
  ts INTEGER NOT NULL, kind TEXT NOT NULL, payload TEXT NOT NULL, refs TEXT,
  UNIQUE(thread_id, seq)
) STRICT;

-- hash is null while a blob grows. A blob of up to one chunk has its bytes here, a bigger one in blob_chunks.
-- same_as: it grew to what another blob already held.
CREATE TABLE blobs(
  id INTEGER PRIMARY KEY, hash TEXT, size INTEGER NOT NULL, bytes BLOB, same_as INTEGER REFERENCES blobs(id)
) STRICT;
CREATE UNIQUE INDEX blobs_by_hash ON blobs(hash) WHERE hash IS NOT NULL;
CREATE TABLE blob_chunks(
  blob_id INTEGER NOT NULL REFERENCES blobs(id) ON DELETE CASCADE, offset INTEGER NOT NULL, bytes BLOB NOT NULL,
  PRIMARY KEY(blob_id, offset)
) STRICT;
CREATE TABLE blob_uses(
  thread_id TEXT NOT NULL, blob_id INTEGER NOT NULL REFERENCES blobs(id), used_by TEXT NOT NULL,
  PRIMARY KEY(thread_id, used_by, blob_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX blob_uses_by_blob ON blob_uses(blob_id);

CREATE TABLE turns(
  thread_id TEXT NOT NULL REFERENCES threads(id) ON DELETE CASCADE, turn_id TEXT NOT NULL, prompt_id TEXT NOT NULL,
  seq INTEGER NOT NULL, last_seq INTEGER NOT NULL, status TEXT NOT NULL, stop_reason TEXT, error TEXT,
  usage_json TEXT, prompt_json TEXT NOT NULL, prompt_seq INTEGER NOT NULL, cost REAL, currency TEXT,
  input_tokens INTEGER, output_tokens INTEGER, total_tokens INTEGER,
  queued_at INTEGER NOT NULL, started_at INTEGER, ended_at INTEGER,
  PRIMARY KEY(thread_id, turn_id)
) STRICT;
CREATE INDEX turns_by_seq ON turns(thread_id, seq);
CREATE INDEX turns_by_change ON turns(thread_id, last_seq);
CREATE INDEX turns_by_prompt ON turns(thread_id, prompt_id);
CREATE INDEX turns_running ON turns(thread_id) WHERE status = 'running';
CREATE INDEX turns_by_end ON turns(ended_at) WHERE ended_at IS NOT NULL;

CREATE TABLE messages(
  id INTEGER PRIMARY KEY, thread_id TEXT NOT NULL REFERENCES threads(id) ON DELETE CASCADE,
  item_id TEXT NOT NULL, seq INTEGER NOT NULL, last_seq INTEGER NOT NULL, role TEXT NOT NULL, kind TEXT NOT NULL,
  text TEXT NOT NULL, text_len INTEGER NOT NULL, text_hash TEXT, text_size INTEGER, text_blob INTEGER, half TEXT,
  content_json TEXT, message_id TEXT, partial INTEGER NOT NULL,
  created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL,
  UNIQUE(thread_id, seq)
) STRICT;
CREATE INDEX messages_by_change ON messages(thread_id, last_seq);
CREATE INDEX messages_open ON messages(thread_id) WHERE partial = 1;

CREATE TABLE tool_calls(
  id INTEGER PRIMARY KEY, thread_id TEXT NOT NULL REFERENCES threads(id) ON DELETE CASCADE,
  tool_call_id TEXT NOT NULL, seq INTEGER NOT NULL, last_seq INTEGER NOT NULL,
  title TEXT NOT NULL, name TEXT, kind TEXT NOT NULL, status TEXT NOT NULL, ended_by TEXT,
  content_json TEXT NOT NULL, locations_json TEXT NOT NULL, raw_input_json TEXT, raw_output_json TEXT, meta_json TEXT,
  growing_json TEXT, created_at INTEGER NOT NULL, started_at INTEGER, ended_at INTEGER,
  UNIQUE(thread_id, tool_call_id), UNIQUE(thread_id, seq)
) STRICT;
CREATE INDEX tool_calls_by_change ON tool_calls(thread_id, last_seq);
CREATE INDEX tool_calls_open ON tool_calls(thread_id) WHERE ended_at IS NULL;
CREATE INDEX tool_calls_by_end ON tool_calls(ended_at, thread_id, kind, status, created_at, started_at) WHERE ended_at IS NOT NULL;

CREATE TABLE plans(
  thread_id TEXT PRIMARY KEY REFERENCES threads(id) ON DELETE CASCADE, entries_json TEXT NOT NULL, last_seq INTEGER NOT NULL
) STRICT;

CREATE TABLE thread_state(
  thread_id TEXT PRIMARY KEY REFERENCES threads(id) ON DELETE CASCADE, current_mode_id TEXT, modes_json TEXT,
  config_options_json TEXT, available_commands_json TEXT, usage_json TEXT,
  session_cost REAL NOT NULL DEFAULT 0, last_seq INTEGER NOT NULL
) STRICT;

CREATE TABLE permissions(
  thread_id TEXT NOT NULL REFERENCES threads(id) ON DELETE CASCADE, permission_id TEXT NOT NULL, tool_call_id TEXT,
  seq INTEGER NOT NULL, last_seq INTEGER NOT NULL, options_json TEXT NOT NULL, status TEXT NOT NULL, option_id TEXT,
  decided_by TEXT, rule TEXT, created_at INTEGER NOT NULL, decided_at INTEGER,
  PRIMARY KEY(thread_id, permission_id)
) STRICT;
CREATE INDEX permissions_by_seq ON permissions(thread_id, seq);
CREATE INDEX permissions_by_change ON permissions(thread_id, last_seq);
CREATE INDEX permissions_pending ON permissions(thread_id, tool_call_id) WHERE status = 'pending';

CREATE TABLE terminals(
  thread_id TEXT NOT NULL REFERENCES threads(id) ON DELETE CASCADE, terminal_id TEXT NOT NULL, seq INTEGER NOT NULL,
  last_seq INTEGER NOT NULL, command TEXT NOT NULL, cwd TEXT, exit_code INTEGER, signal TEXT, truncated INTEGER NOT NULL,
  output_ref TEXT, output_size INTEGER NOT NULL, output_blob INTEGER, output_owner TEXT,
  created_at INTEGER NOT NULL, ended_at INTEGER,
  PRIMARY KEY(thread_id, terminal_id)
) STRICT;
CREATE INDEX terminals_by_seq ON terminals(thread_id, seq);
CREATE INDEX terminals_by_change ON terminals(thread_id, last_seq);
CREATE INDEX terminals_open ON terminals(thread_id) WHERE ended_at IS NULL;

-- What can be found by its words. One item has one row, or one for each slice of a big text. id grows with time.
CREATE TABLE search_items(
  id INTEGER PRIMARY KEY, thread_id TEXT NOT NULL, seq INTEGER NOT NULL, item TEXT NOT NULL, item_id TEXT NOT NULL,
  kind TEXT NOT NULL, ts INTEGER NOT NULL, blob_id INTEGER, start INTEGER, end INTEGER
) STRICT;
CREATE INDEX search_items_by_item ON search_items(thread_id, seq, item_id);
CREATE INDEX search_items_by_time ON search_items(ts, id);
CREATE VIRTUAL TABLE search_text USING fts5(
  title, body, tags, content = '', contentless_delete = 1, tokenize = "unicode61 remove_diacritics 2"
);
-- Items that are complete and still to be indexed, and the slices of big texts that are; the ids of those are reserved.
CREATE TABLE search_queue(
  id INTEGER PRIMARY KEY, thread_id TEXT NOT NULL, seq INTEGER NOT NULL, item TEXT NOT NULL,
  item_id TEXT NOT NULL
) STRICT;
CREATE TABLE search_slices(
  id INTEGER PRIMARY KEY, thread_id TEXT NOT NULL, seq INTEGER NOT NULL, item TEXT NOT NULL, item_id TEXT NOT NULL,
  kind TEXT NOT NULL, ts INTEGER NOT NULL, tags TEXT NOT NULL, blob_id INTEGER NOT NULL, start INTEGER NOT NULL,
  end INTEGER NOT NULL, next_id INTEGER NOT NULL, last_id INTEGER NOT NULL
) STRICT;
`;

/** Questions that want more than yes or no; the second migration. */
const elicitations = `
CREATE TABLE elicitations(
  thread_id TEXT NOT NULL REFERENCES threads(id) ON DELETE CASCADE, elicitation_id TEXT NOT NULL,
  seq INTEGER NOT NULL, last_seq INTEGER NOT NULL, mode TEXT NOT NULL, message TEXT NOT NULL, schema_json TEXT, url TEXT,
  tool_call_id TEXT, status TEXT NOT NULL, content_json TEXT, decided_by TEXT, reason TEXT,
  created_at INTEGER NOT NULL, decided_at INTEGER,
  PRIMARY KEY(thread_id, elicitation_id)
) STRICT;
CREATE INDEX elicitations_by_seq ON elicitations(thread_id, seq);
CREATE INDEX elicitations_by_change ON elicitations(thread_id, last_seq);
CREATE INDEX elicitations_pending ON elicitations(thread_id) WHERE status = 'pending';
CREATE INDEX elicitations_by_status ON elicitations(status, created_at, elicitation_id);
`;

/** Which files tool calls named, to be counted without a look at the calls themselves; the third migration. */
const toolCallPaths = `
CREATE INDEX tool_calls_by_path ON tool_calls(ended_at, thread_id, status, locations_json)
  WHERE ended_at IS NOT NULL AND locations_json <> '[]';
`;

/** Finds the blobs that point to one that is deleted, without reading all of them; the fourth migration. */
const sameBlobs = "CREATE INDEX blobs_by_same ON blobs(same_as) WHERE same_as IS NOT NULL";

/**
 * Updates stored by their difference, and the length of terminal output in UTF-16 units; the sixth migration. `growing_json` of tool calls
 * and `bytes` of blobs are not written any more.
 */
const differences = `
ALTER TABLE acp_events ADD COLUMN base INTEGER;
ALTER TABLE terminals ADD COLUMN output_length INTEGER;
UPDATE terminals SET truncated = 0;
`;

/** What waits is told with every snapshot; the fifth migration. */
const queuedTurns = "CREATE INDEX turns_queued ON turns(thread_id) WHERE status = 'queued'";

/**
 * Since version 8: what is asked for over all threads is found by an index, and a thread's row says how many questions wait, what it cost and
 * how many files it changed. Rows of earlier versions get what can be read from their other rows.
 */
const overAllThreads = `
ALTER TABLE threads ADD COLUMN waiting INTEGER NOT NULL DEFAULT 0;
ALTER TABLE threads ADD COLUMN files_changed INTEGER NOT NULL DEFAULT 0;
ALTER TABLE threads ADD COLUMN cost_json TEXT;
ALTER TABLE tool_calls ADD COLUMN waited_ms INTEGER NOT NULL DEFAULT 0;

-- One file that one completed tool call changed.
CREATE TABLE file_changes(
  thread_id TEXT NOT NULL REFERENCES threads(id) ON DELETE CASCADE, path TEXT NOT NULL, seq INTEGER NOT NULL,
  added INTEGER, removed INTEGER,
  PRIMARY KEY(thread_id, path, seq)
) STRICT;
INSERT OR IGNORE INTO file_changes(thread_id, path, seq)
  SELECT c.thread_id, d.value ->> '$.path', c.seq FROM tool_calls AS c, json_each(c.content_json) AS d
  WHERE c.status = 'completed' AND d.type = 'object' AND d.value ->> '$.type' = 'diff'
    AND typeof(d.value ->> '$.path') = 'text';

UPDATE threads SET
  waiting = (SELECT count(*) FROM permissions AS p WHERE p.thread_id = threads.id AND p.status = 'pending')
    + (SELECT count(*) FROM elicitations AS e WHERE e.thread_id = threads.id AND e.status = 'pending'),
  files_changed = (SELECT count(DISTINCT f.path) FROM file_changes AS f WHERE f.thread_id = threads.id),
  cost_json = (SELECT json_object('amount', sum(u.cost), 'currency', u.currency) FROM turns AS u
    WHERE u.thread_id = threads.id AND u.currency IS NOT NULL GROUP BY u.currency ORDER BY max(u.seq) DESC LIMIT 1);
UPDATE tool_calls SET waited_ms = coalesce((SELECT sum(max(0, p.decided_at - p.created_at)) FROM permissions AS p
  WHERE p.thread_id = tool_calls.thread_id AND p.tool_call_id = tool_calls.tool_call_id), 0)
  WHERE tool_call_id IN (SELECT p.tool_call_id FROM permissions AS p WHERE p.thread_id = tool_calls.thread_id);

CREATE INDEX threads_waiting ON threads(deleting, archived, updated_at, id) WHERE status = 'waiting';
CREATE INDEX threads_by_folder ON threads(deleting, cwd, archived);
CREATE INDEX threads_by_agent ON threads(deleting, agent_id, archived);
CREATE INDEX permissions_waiting ON permissions(created_at, permission_id) WHERE status = 'pending';
CREATE INDEX tool_calls_by_time ON tool_calls(created_at);
DROP INDEX tool_calls_by_end;
CREATE INDEX tool_calls_by_end
  ON tool_calls(ended_at, thread_id, kind, name, status, created_at, started_at, waited_ms) WHERE ended_at IS NOT NULL;
CREATE INDEX search_items_by_kind ON search_items(kind);
`;

/** Since version 7: what remembering an answer to a question would write, and how far it can be remembered. */
const rememberedRules = `
ALTER TABLE permissions ADD COLUMN rule_if_remembered TEXT;
ALTER TABLE permissions ADD COLUMN remember_scopes_json TEXT;
`;

/** Since version 10: threads whose agent is being started, which a restart must find. */
const startingThreads = `
ALTER TABLE threads ADD COLUMN starting INTEGER NOT NULL DEFAULT 0;
CREATE INDEX threads_starting ON threads(id) WHERE starting = 1;
`;

/** Since version 9: what encloses the commands of a thread's agent; `modes` of a state names the mode that is current. */
const threadSandboxes = `
ALTER TABLE threads ADD COLUMN sandbox_json TEXT;
UPDATE thread_state SET modes_json = json_set(modes_json, '$.currentModeId', current_mode_id)
  WHERE modes_json IS NOT NULL AND json_type(modes_json) = 'object' AND current_mode_id IS NOT NULL;
`;

/** Since version 11: when calls waited for a person, so that time in which several wait together counts once, also in rows of before. */
const waits = `
ALTER TABLE tool_calls ADD COLUMN waits_json TEXT;
CREATE INDEX permissions_by_call ON permissions(thread_id, tool_call_id);
CREATE INDEX elicitations_by_call ON elicitations(thread_id, tool_call_id);

CREATE TEMP TABLE waits(thread_id TEXT, tool_call_id TEXT, waits_json TEXT, ms INTEGER, PRIMARY KEY(thread_id, tool_call_id));
INSERT INTO waits
  WITH asked AS (
    SELECT thread_id, tool_call_id, created_at AS since, decided_at AS until FROM permissions
    UNION ALL SELECT thread_id, tool_call_id, created_at, decided_at FROM elicitations
  ), marked AS (
    SELECT *, coalesce(since > max(until) OVER (PARTITION BY thread_id, tool_call_id ORDER BY since
      ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 1) AS is_first
    FROM asked WHERE tool_call_id IS NOT NULL AND until > since
  ), numbered AS (
    SELECT *, sum(is_first) OVER (PARTITION BY thread_id, tool_call_id ORDER BY since ROWS UNBOUNDED PRECEDING) AS number FROM marked
  ), united AS (
    SELECT thread_id, tool_call_id, min(since) AS since, max(until) AS until FROM numbered GROUP BY thread_id, tool_call_id, number
  )
  SELECT thread_id, tool_call_id, json_group_array(json_array(since, until) ORDER BY since), sum(until - since)
  FROM united GROUP BY thread_id, tool_call_id;
UPDATE tool_calls SET waits_json = '[]', waited_ms = 0 WHERE waited_ms > 0;
UPDATE tool_calls SET (waits_json, waited_ms) =
    (SELECT w.waits_json, w.ms FROM waits AS w WHERE w.thread_id = tool_calls.thread_id AND w.tool_call_id = tool_calls.tool_call_id)
  WHERE (thread_id, tool_call_id) IN (SELECT thread_id, tool_call_id FROM waits);
DROP TABLE waits;

DROP INDEX tool_calls_by_end;
CREATE INDEX tool_calls_by_end ON tool_calls(ended_at, thread_id, kind, name, status, created_at, started_at, waited_ms)
  WHERE ended_at IS NOT NULL;
`;

/** Since version 12: calls and messages say which sub-agent they are of. Calls of earlier versions said so in `_meta`, as Claude Code does. */
const subAgents = `
ALTER TABLE messages ADD COLUMN parent_tool_call_id TEXT;
ALTER TABLE tool_calls ADD COLUMN parent_tool_call_id TEXT;
UPDATE tool_calls SET parent_tool_call_id = meta_json ->> '$.claudeCode.parentToolUseId'
  WHERE typeof(meta_json ->> '$.claudeCode.parentToolUseId') = 'text' AND meta_json ->> '$.claudeCode.parentToolUseId' <> '';
`;

/** Since version 13: pinned threads, and the prompts of a thread, are found without reading the others. */
const pinsAndPrompts = `
ALTER TABLE threads ADD COLUMN pinned INTEGER NOT NULL DEFAULT 0;
CREATE INDEX threads_pinned ON threads(deleting, archived, updated_at, id) WHERE pinned = 1;
CREATE INDEX messages_of_person ON messages(thread_id, seq) WHERE role = 'user';
`;

export interface Migration {
  readonly version: number;
  /** True when data could be lost if the step were wrong: a copy is made first. */
  readonly risky: boolean;
  readonly sql: string;
}

export const allMigrations: readonly Migration[] = [
  { version: 1, risky: false, sql: firstSchema },
  { version: 2, risky: false, sql: elicitations },
  { version: 3, risky: false, sql: toolCallPaths },
  { version: 4, risky: false, sql: sameBlobs },
  { version: 5, risky: false, sql: queuedTurns },
  { version: 6, risky: false, sql: differences },
  { version: 7, risky: false, sql: rememberedRules },
  { version: 8, risky: false, sql: overAllThreads },
  { version: 9, risky: false, sql: threadSandboxes },
  { version: 10, risky: false, sql: startingThreads },
  { version: 11, risky: false, sql: waits },
  { version: 12, risky: false, sql: subAgents },
  { version: 13, risky: false, sql: pinsAndPrompts },
];
