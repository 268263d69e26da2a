import { DatabaseSync } from "node:sqlite";
import { column } from "@signalbox/protocol";
import { describe, expect, it } from "vitest";
import { migrate } from "./migrations.ts";
import { hasCurrentRows, resetRowTables } from "./row-tables.ts";
import { buildInsert, buildSelect, buildUpdate, table } from "./table.ts";
import { allTables } from "./tables.ts";

describe("a declared table", () => {
  it.each(allTables)("$name is in the file, with the declared columns and no others", ({ name, columns }) => {
    using database = new DatabaseSync(":memory:");
    migrate(database, ":memory:");
    expect(hasCurrentRows(database)).toBe(false);
    resetRowTables(database);
    expect(hasCurrentRows(database)).toBe(true);
    const found = database.prepare("SELECT name FROM pragma_table_info(?)").all(name);
    const declared = Object.entries(columns).map(([field, { suffix }]) => `${field}${suffix}`);
    expect(found.map((row) => row.name)).toEqual(declared);
  });

  it("has statements that write, change and read its rows", () => {
    using database = new DatabaseSync(":memory:");
    database.exec("CREATE TABLE trains(id TEXT, is_late INTEGER, cars_json TEXT, color TEXT) STRICT");
    const trains = table(
      "trains",
      {
        id: column.text,
        is_late: column.boolean,
        cars: column.list<string>((value) => typeof value === "string"),
        color: column.nullable(column.oneOf<"red" | "grey">(["red", "grey"], "grey")),
      },
      "PRIMARY KEY(id)",
    );
    const find = buildSelect(database, trains, "WHERE id = ?");
    expect(buildInsert(database, trains)({ id: "a", cars: ["mail"], is_late: false })).toBe(1);
    expect(find("a")).toEqual([{ id: "a", cars: ["mail"], is_late: false, color: null }]);
    const update = buildUpdate(database, trains, ["is_late", "color"], "id = ?");
    expect(update({ is_late: true, color: "red" }, "a")).toBe(true);
    expect(update({ is_late: true, color: "red" }, "b")).toBe(false);
    expect(find("a")).toEqual([{ id: "a", cars: ["mail"], is_late: true, color: "red" }]);
    database.exec("UPDATE trains SET cars_json = '[1, \"mail\"]', color = 'green'");
    expect(find("a")).toMatchObject([{ cars: ["mail"], color: "grey" }]);
  });
});
