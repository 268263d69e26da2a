// Adds declared columns that a file does not have yet, so that a new column is one line where its table is declared.
import type { DatabaseSync } from "node:sqlite";
import { columnName } from "@signalbox/protocol";
import type { Table } from "./table.ts";

/** Throws for a column that cannot be read where a row of before has nothing in it: that one needs a migration that fills it. */
export function addColumns(database: DatabaseSync, tables: readonly Table[]): void {
  for (const { name, columns } of tables) {
    const found = new Set(
      database
        .prepare("SELECT name FROM pragma_table_info(?)")
        .all(name)
        .map((row) => row.name),
    );
    for (const [field, column] of Object.entries(columns)) {
      const added = columnName(columns, field);
      if (found.has(added)) continue;
      column.read(null);
      database.exec(`ALTER TABLE ${name} ADD COLUMN ${added} ANY`);
    }
  }
}
