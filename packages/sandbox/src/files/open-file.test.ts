// Checks that files of a database are recognized by any name.

import { closeSync, constants, renameSync } from "node:fs";
import { expect, it } from "vitest";
import { TemporaryFolder } from "../testing/temporary-folder.ts";
import { openFile, openFileSync, reserveDatabases } from "./open-file.ts";
import { copyPlainFile, readPlainText } from "./read-plain-file.ts";

function place() {
  const folder = new TemporaryFolder({
    "data/a.db": "database",
    "data/a.db-shm": "memory",
    "data/a.db.lock": "lock",
    "work/hard": { hardLink: "data/a.db-shm" },
    "work/soft": { link: "../data/a.db" },
    "work/file": "text",
  });
  reserveDatabases([folder.at("data/a.db")]);
  return folder;
}

it.each(["data/a.db", "data/a.db-shm", "data/a.db.lock", "work/hard", "work/soft"])("refuses %s", async (name) => {
  using folder = place();
  const refused = { code: "denied", message: expect.stringContaining("register") };
  expect(() => openFileSync(folder.at(name), constants.O_RDONLY)).toThrow(expect.objectContaining(refused));
  await expect(openFile(folder.at(name), constants.O_RDONLY)).rejects.toMatchObject(refused);
  expect(() => readPlainText(folder.at(name), 100)).toThrow("register");
  expect(() => copyPlainFile(folder.at(name), folder.at("work/copy"))).toThrow("register");
});

it("opens everything else, also what was a file of a database and is no longer one", async () => {
  using folder = place();
  closeSync(openFileSync(folder.at("work/file"), constants.O_RDONLY));
  await (await openFile(folder.at("work/file"), constants.O_RDONLY)).close();
  renameSync(folder.at("data/a.db"), folder.at("data/old"));
  expect(readPlainText(folder.at("work/../data/old"), 100)).toBe("database");
  expect(() => openFileSync(folder.at("work/missing"), constants.O_RDONLY)).toThrow("ENOENT");
});
