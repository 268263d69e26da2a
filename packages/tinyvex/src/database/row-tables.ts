// Makes the row tables from their declarations. A hash of everything that is declared is stored in the file: when it differs from the program's,
// the rows were made by another version and have to be made again.
import { createHash } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";
import { columnName } from "@signalbox/protocol";
import { searchTables } from "../search/search-tables.ts";
import { text } from "./row.ts";
import { logTables } from "./schema.ts";
import type { Table } from "./table.ts";
import { allTables } from "./tables.ts";

/** Increase it when the same columns get other values from the same events. */
const projectionVersion = 3;

/** `shown_row` is used while a thread's events are replayed in several transactions, see `StaleThreads`. */
const staleThreads = `
CREATE TABLE stale_threads(
  thread_id TEXT PRIMARY KEY, last_event INTEGER NOT NULL, events INTEGER NOT NULL, replayed INTEGER NOT NULL, row_json TEXT
) STRICT, WITHOUT ROWID`;

const declaration = [...allTables.flatMap(createStatements), searchTables, staleThreads].join(";\n");
const declarationHash = createHash("sha256").update(`${projectionVersion}\n${declaration}`).digest("hex");

function createStatements({ name, columns, key, indexes }: Table): string[] {
  const declared = Object.entries(columns).map(([field, { type }]) => `${columnName(columns, field)} ${type}`);
  return [
    `CREATE TABLE ${name}(${[...declared, key].join(", ")}) STRICT`,
    ...Object.entries(indexes).map(([index, on]) => `CREATE INDEX ${index} ON ${name}${on}`),
  ];
}

/** True when the rows in the file were made by this declaration. */
export function hasCurrentRows(database: DatabaseSync): boolean {
  const hasMeta = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'meta'").get() !== undefined;
  return hasMeta && database.prepare("SELECT value FROM meta WHERE key = 'rows'").get()?.value === declarationHash;
}

/** Drops every table that is not part of the log, and makes the declared ones, empty. */
export function resetRowTables(database: DatabaseSync): void {
  for (const name of findRowTables(database)) database.exec(`DROP TABLE "${name}"`);
  database.exec(declaration);
  database.prepare("INSERT OR REPLACE INTO meta(key, value) VALUES ('rows', ?)").run(declarationHash);
}

/** A virtual table comes first, because the tables behind it go with it; `threads` last, because tables of version 13 refer to it. */
function findRowTables(database: DatabaseSync): readonly string[] {
  const tables = database
    .prepare(
      `SELECT name FROM pragma_table_list WHERE schema = 'main' AND type IN ('table', 'virtual') AND name NOT LIKE 'sqlite_%'
       ORDER BY type = 'virtual' DESC, name = 'threads'`,
    )
    .all();
  return tables.map((row) => text(row, "name")).filter((name) => !logTables.includes(name));
}
