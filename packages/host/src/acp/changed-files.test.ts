import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonObject } from "@signalbox/protocol";
import { createPolicy } from "@signalbox/sandbox";
import { afterEach, beforeEach, expect, it } from "vitest";
import { changedFiles } from "./changed-files.ts";
import type { ThreadContext } from "./thread-context.ts";

let cwd: string;
beforeEach(() => {
  cwd = realpathSync(mkdtempSync(join(tmpdir(), "signalbox-changes-")));
  mkdirSync(join(cwd, "data"));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

const file = (name: string, content: string | Buffer) => {
  writeFileSync(join(cwd, name), content);
  return join(cwd, name);
};

async function changes(call: JsonObject, more: { kind?: string; targets?: readonly string[] } = {}) {
  const policy = createPolicy({
    mode: "sandbox",
    network: "off",
    workspaceFolders: [cwd],
    dataFolder: join(cwd, "data"),
    writable: [],
  });
  // Only what this function needs of a thread.
  const thread = { place: { agentId: "a", threadId: "t", cwd }, sandbox: { policy } } as unknown as ThreadContext;
  const asked = { kind: more.kind ?? "edit", targets: more.targets ?? [] };
  return (await changedFiles(thread, call, call, asked)).hunks;
}

const diff = (path: string, oldText: string | null, newText: string) => ({ type: "diff", path, oldText, newText });
const lines = (count: number) => Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join("");

it("shows the lines of the file where the agent names only a part of it", async () => {
  const path = file("a.txt", lines(100));
  const [change] = await changes({ content: [diff(path, "line 50", "line fifty")] });
  expect(change).toMatchObject({ status: "modified", added: 1, removed: 1 });
  expect(change?.hunks).toMatchObject([{ old_start: 47, new_start: 47 }]);
  expect(change).not.toHaveProperty("part");
});

it("applies all parts of one file, in order", async () => {
  const path = file("a.txt", lines(60));
  const content = [diff(path, "line 10\n", "ten\n"), diff(path, "ten\n", "10\n"), diff(path, "line 50\n", "")];
  const found = await changes({ content });
  expect(found).toMatchObject([{ added: 1, removed: 2, hunks: [{ old_start: 7 }, { old_start: 47 }] }]);
});

it("replaces everywhere where the agent says so, and says where a part is not there once", async () => {
  const path = file("a.txt", "x\n".repeat(5));
  const rawInput = { file_path: path, old_string: "x", new_string: "y" };
  expect(await changes({ rawInput })).toMatchObject([{ part: true, added: 1, removed: 1 }]);
  expect(await changes({ rawInput: { ...rawInput, replace_all: true } })).toMatchObject([{ added: 5, removed: 5 }]);
});

it("says that the agent compared with another text than the file's", async () => {
  const path = file("a.txt", "now\n");
  expect(await changes({ content: [diff(path, "before\n", "after\n")] })).toMatchObject([{ outdated: true }]);
});

it("shows what is lost when a file that the agent calls new is there already", async () => {
  const path = file("a.txt", "precious\n");
  const found = await changes({ content: [diff(path, null, "new\n")] });
  expect(found).toMatchObject([{ status: "modified", added: 1, removed: 1 }]);
});

it("shows a new file, a deletion and a binary file with its sizes", async () => {
  const path = file("a.txt", "1\n2\n");
  const picture = file("a.png", Buffer.from([0x89, 0x50, 0, 1, 2, 0xff]));
  expect(await changes({ content: [diff(join(cwd, "new.txt"), "", "a\nb\n")] })).toMatchObject([
    { status: "added", added: 2, removed: 0, old_size: null, new_size: 4 },
  ]);
  expect(await changes({}, { kind: "delete", targets: [path, picture] })).toMatchObject([
    { status: "deleted", added: 0, removed: 2, old_size: 4, new_size: null },
    { status: "deleted", binary: true, old_size: 6, new_size: null },
  ]);
  expect(await changes({ content: [diff(picture, "?", "text")] })).toMatchObject([
    { status: "modified", binary: true, old_size: 6, new_size: 4, hunks: [] },
  ]);
});

it.each([
  [{ path: "a.txt", before: "two", after: "2" }, "edit"],
  [{ filepath: "a.txt", old_string: "two", new_string: "2" }, "replace"],
  [{ path: "a.txt", command: "str_replace", old_str: "two", new_str: "2" }, "text_editor"],
  [{ path: "a.txt", content: "one\n2\nthree\n" }, "write"],
])("reads the edit in the input %j", async (rawInput, title) => {
  file("a.txt", "one\ntwo\nthree\n");
  const found = await changes({ rawInput, title, kind: "other" }, { kind: "other" });
  expect(found).toMatchObject([{ added: 1, removed: 1, hunks: [{ lines: [" one", "-two", "+2", " three"] }] }]);
});

it.each([
  [{ path: "a.txt", content: "x" }, "send"],
  [{ path: "a.txt", before: "two", old_string: "three", after: "2" }, "edit"],
  [{ before: "2026-01-01", after: "2026-02-01" }, "list events"],
])("does not take the input %j for an edit", async (rawInput, title) => {
  expect(await changes({ rawInput, title, kind: "other" }, { kind: "other" })).toEqual([]);
});

it("counts no lines of a file that it could not read, and says so", async () => {
  mkdirSync(join(cwd, "folder"));
  const path = join(cwd, "folder");
  expect(await changes({ content: [diff(path, "a\n", "b\n")] })).toMatchObject([
    { path, unread: true, added: null, removed: null },
  ]);
  expect(await changes({}, { kind: "delete", targets: [path] })).toMatchObject([
    { path, status: "deleted", unread: true },
  ]);
});

it("names the file that a link leads to, and takes two names of one file together", async () => {
  const path = file("real.txt", lines(20));
  symlinkSync("real.txt", join(cwd, "innocent.txt"));
  const content = [diff(join(cwd, "innocent.txt"), "line 1\n", "x\n"), diff(path, "line 9\n", "y\n")];
  expect(await changes({ content })).toMatchObject([{ path, added: 2, removed: 2 }]);
});

it("compares only so much of all files together", async () => {
  const content = ["a", "b", "c"].map((name) => diff(join(cwd, name), null, "0123456\n".repeat(400_000)));
  const compared = await changes({ content });
  expect(compared.map(({ added }) => added)).toEqual([400_000, 400_000, null]);
});

it("does not apply more parts of a file than a person reads, and says so", async () => {
  const path = file("a.txt", lines(2000));
  const content = Array.from({ length: 1500 }, (_, index) => diff(path, `line ${index + 1}\n`, "x\n"));
  expect(await changes({ content })).toMatchObject([
    { path, too_big: true, hunks: [], added: null, status: "modified" },
  ]);
  expect(await changes({ content: content.slice(1000, 1010) })).toMatchObject([{ added: 10, removed: 10 }]);
});

it("does not compare what is too big, and says so", async () => {
  const [change] = await changes({ content: [diff(join(cwd, "a"), null, "a\n".repeat(9_000_000))] });
  expect(change).toMatchObject({ too_big: true, hunks: [], added: null, new_size: 18_000_000 });
});
