// Fills a register with thousands of threads in one statement: copies of the row of one thread, with other titles, folders and times.
import { DatabaseSync } from "node:sqlite";

/** The copies are called `Thread 1` and so on, lie in this many folders below /work, and are newer than the thread. */
export function copyThread(path: string, threadId: string, count: number, folders = 10): void {
  const database = new DatabaseSync(path);
  const columns = database.prepare("SELECT name FROM pragma_table_info('threads')").all();
  const changed = new Map([
    ["id", "'copy-' || n"],
    ["title", "'Thread ' || n"],
    ["cwd", `'/work/' || (n % ${folders})`],
    ["pinned", "0"],
    ["updated_at", "updated_at + 1000 + n"],
  ]);
  const names = columns.map(({ name }) => String(name));
  const values = names.map((name) => changed.get(name) ?? `"${name}"`);
  database
    .prepare(
      `WITH RECURSIVE counted(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < ?)
      INSERT INTO threads(${names.map((name) => `"${name}"`).join(", ")})
      SELECT ${values.join(", ")} FROM threads, counted WHERE threads.id = ?`,
    )
    .run(count, threadId);
  database.close();
}
