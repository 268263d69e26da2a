import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { makePrivate, openWriter } from "./connection.ts";

// A file that is made for all and closed afterwards could be opened in between.
vi.mock("node:fs", async (original) => ({ ...(await original<object>()), chmodSync: () => {} }));

it("the file of a new register is private from the moment it is there, whatever the umask", () => {
  const folder = mkdtempSync(join(tmpdir(), "tinyvex-"));
  const before = process.umask(0);
  const mode = (name: string) => statSync(join(folder, name)).mode & 0o777;
  try {
    makePrivate(join(folder, "empty.db"));
    const database = openWriter(join(folder, "register.db"));
    database.exec("CREATE TABLE a(b)");
    const names = ["empty.db", "register.db", "register.db-wal", "register.db-shm"];
    expect(names.map((name) => mode(name).toString(8))).toEqual(["600", "600", "600", "600"]);
    database.close();
  } finally {
    process.umask(before);
    rmSync(folder, { recursive: true });
  }
});
