// The tables of the full-text index. `id` of an item comes from its place in the log, so that the newest match is the one with the highest id,
// in whichever order items were indexed. A big text has one item for each of its slices.
export const searchTables = `
CREATE TABLE search_items(
  id INTEGER PRIMARY KEY, thread_id TEXT NOT NULL, seq INTEGER NOT NULL, item TEXT NOT NULL, item_id TEXT NOT NULL,
  kind TEXT NOT NULL, ts INTEGER NOT NULL, blob_id INTEGER, start INTEGER, end INTEGER
) STRICT;
CREATE INDEX search_items_by_item ON search_items(thread_id, seq, item_id);
CREATE INDEX search_items_by_time ON search_items(ts, id);
CREATE INDEX search_items_by_kind ON search_items(kind);
CREATE VIRTUAL TABLE search_text USING fts5(
  title, body, tags, content = '', contentless_delete = 1, tokenize = "unicode61 remove_diacritics 2"
);
-- Items that are complete and still to be indexed.
CREATE TABLE search_queue(
  id INTEGER PRIMARY KEY, thread_id TEXT NOT NULL, seq INTEGER NOT NULL, item TEXT NOT NULL,
  item_id TEXT NOT NULL
) STRICT;
-- Big texts whose slices are still to be indexed; the ids from next_id to last_id are reserved for them.
CREATE TABLE search_slices(
  id INTEGER PRIMARY KEY, thread_id TEXT NOT NULL, seq INTEGER NOT NULL, item TEXT NOT NULL, item_id TEXT NOT NULL,
  kind TEXT NOT NULL, ts INTEGER NOT NULL, tags TEXT NOT NULL, blob_id INTEGER NOT NULL, start INTEGER NOT NULL,
  end INTEGER NOT NULL, next_id INTEGER NOT NULL, last_id INTEGER NOT NULL
) STRICT`;
