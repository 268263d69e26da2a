import { DatabaseSync } from "node:sqlite";
import { column } from "@signalbox/protocol";
import { describe, expect, it } from "vitest";
import { addColumns } from "./add-columns.ts";
import { migrate } from "./migrations.ts";
import { buildInsert, buildSelect, buildUpdate, table } from "./table.ts";
import { allTables } from "./tables.ts";

describe("a declared table", () => {
  it.each(allTables)("$name has every declared column in the file", ({ name, columns }) => {
    using database = new DatabaseSync(":memory:");
    migrate(database, ":memory:");
    addColumns(database, allTables);
    const found = database.prepare("SELECT name FROM pragma_table_info(?)").all(name);
    const declared = Object.entries(columns).map(([field, { suffix }]) => `${field}${suffix}`);
    expect(found.map((row) => row.name)).toEqual(expect.arrayContaining(declared));
  });

  it("gets a column by one line: the file has it, and it is written, changed and read", () => {
    using database = new DatabaseSync(":memory:");
    database.exec("CREATE TABLE trains(id TEXT NOT NULL, is_late INTEGER NOT NULL) STRICT");
    const before = table("trains", { id: column.text, is_late: column.boolean });
    buildInsert(database, before)({ id: "old", is_late: false });
    const trains = table("trains", {
      ...before.columns,
      cars: column.list<string>((value) => typeof value === "string"),
      color: column.nullable(column.oneOf<"red" | "grey">(["red", "grey"], "grey")),
    });
    const find = buildSelect(database, trains, "WHERE id = ?");
    // Only a reader has opened the file.
    expect(find("old")).toEqual([{ id: "old", cars: [], is_late: false, color: null }]);
    addColumns(database, [trains]);
    addColumns(database, [trains]);
    expect(find("old")).toEqual([{ id: "old", cars: [], is_late: false, color: null }]);
    expect(buildInsert(database, trains)({ id: "a", cars: ["mail"], is_late: false })).toBe(2);
    expect(find("a")).toEqual([{ id: "a", cars: ["mail"], is_late: false, color: null }]);
    const update = buildUpdate(database, trains, ["is_late", "color"], "id = ?");
    expect(update({ is_late: true, color: "red" }, "a")).toBe(true);
    expect(update({ is_late: true, color: "red" }, "b")).toBe(false);
    expect(find("a")).toEqual([{ id: "a", cars: ["mail"], is_late: true, color: "red" }]);
    database.exec("UPDATE trains SET cars_json = '[1, \"mail\"]', color = 'green'");
    expect(find("a")).toMatchObject([{ cars: ["mail"], color: "grey" }]);
  });

  it("gets no column that rows of before could not have", () => {
    using database = new DatabaseSync(":memory:");
    database.exec("CREATE TABLE trains(id TEXT NOT NULL) STRICT");
    const trains = table("trains", { id: column.text, driver: column.text });
    expect(() => addColumns(database, [trains])).toThrow("a column should hold text");
  });
});
