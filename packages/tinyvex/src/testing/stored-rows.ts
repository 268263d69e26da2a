// Reads every projection from the file, without numbers that only say where a row is stored: what a rebuild must reproduce.
import { DatabaseSync } from "node:sqlite";
import { eventually } from "./temporary-register.ts";

const storedTables = {
  threads: "SELECT * FROM threads ORDER BY id",
  turns: "SELECT * FROM turns ORDER BY thread_id, seq",
  messages: "SELECT * FROM messages ORDER BY thread_id, seq",
  tool_calls: "SELECT * FROM tool_calls ORDER BY thread_id, seq",
  plans: "SELECT * FROM plans ORDER BY thread_id",
  thread_state: "SELECT * FROM thread_state ORDER BY thread_id",
  permissions: "SELECT * FROM permissions ORDER BY thread_id, seq",
  elicitations: "SELECT * FROM elicitations ORDER BY thread_id, seq",
  terminals: "SELECT * FROM terminals ORDER BY thread_id, seq",
  search_items: "SELECT * FROM search_items ORDER BY thread_id, seq, item_id, start",
} as const;

const storageColumns: Record<string, readonly string[]> = {
  messages: ["id", "text_blob"],
  tool_calls: ["id", "growing_json"],
  terminals: ["output_blob"],
  search_items: ["id", "blob_id"],
};

export function storedRows(path: string): Record<string, unknown[]> {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    return Object.fromEntries(
      Object.entries(storedTables).map(([table, sql]) => {
        const hidden = storageColumns[table] ?? [];
        const rows = database.prepare(sql).all();
        return [
          table,
          rows.map((row) => Object.fromEntries(Object.entries(row).filter(([name]) => !hidden.includes(name)))),
        ];
      }),
    );
  } finally {
    database.close();
  }
}

/** Waits until everything is in the full-text index, which happens after the commit. */
export async function indexed(path: string): Promise<void> {
  const database = new DatabaseSync(path, { readOnly: true });
  const left = database.prepare("SELECT 1 FROM search_queue UNION ALL SELECT 1 FROM search_slices LIMIT 1");
  await eventually(() => (left.get() === undefined ? true : null));
  database.close();
}

/** "ok" when SQLite finds nothing wrong with the file, the full-text index included. */
export function integrity(path: string): unknown {
  const database = new DatabaseSync(path);
  try {
    database.exec("INSERT INTO search_text(search_text) VALUES ('integrity-check')");
    const broken = database.prepare("PRAGMA foreign_key_check").all();
    return broken.length > 0 ? broken : database.prepare("PRAGMA integrity_check").get()?.integrity_check;
  } finally {
    database.close();
  }
}

/** Every thread's `seq` runs from 1 without a gap. */
export function isGapless(path: string): boolean {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const rows = database
      .prepare("SELECT thread_id FROM acp_events GROUP BY thread_id HAVING min(seq) <> 1 OR max(seq) <> count(*)")
      .all();
    return rows.length === 0;
  } finally {
    database.close();
  }
}
