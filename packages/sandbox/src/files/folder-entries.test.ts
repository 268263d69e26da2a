// Checks that entries are read and replaced below a folder only, as they are, and never through a link that is swapped in.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  lstatSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { dirname } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { compileAttempts } from "../escape-attempts/try-attempts.ts";
import { TemporaryFolder } from "../testing/temporary-folder.ts";
import { FolderEntries } from "./folder-entries.ts";

let program = "";
beforeAll(async () => {
  program = await compileAttempts();
  // Not in `afterAll`, which also runs when this fails: the folder of no program would be the current one.
  return () => rmSync(dirname(program), { recursive: true, force: true });
}, 30_000);

const path = (name: string) => Buffer.from(name, "latin1");

it("reads files, links and what is neither, with whole permission bits", () => {
  using folder = new TemporaryFolder({
    "work/d/file": "text",
    "work/link": { link: "d/file" },
    "outside/file": "secret",
  });
  const entries = new FolderEntries(folder.at("work"));
  chmodSync(folder.at("work/d/file"), 0o640);
  execFileSync("mkfifo", [folder.at("work/pipe")]);
  symlinkSync("../outside", folder.at("work/way-out"));
  expect(entries.read(path("d/file"), 10)).toEqual({
    type: "file",
    bytes: Buffer.from("text"),
    mode: 0o640,
    isSettled: true,
  });
  expect(entries.read(path("d/file"), 3)).toMatchObject({ type: "big_file", size: 4 });
  expect(entries.read(path("link"), 10)).toEqual({ type: "link", target: Buffer.from("d/file") });
  expect(entries.read(path("d"), 10)).toEqual({ type: "folder" });
  expect(entries.read(path("pipe"), 10)).toEqual({ type: "special" });
  for (const missing of ["none", "d/file/below", "none/below", "way-out/file"]) {
    expect(entries.read(path(missing), 10)).toEqual({ type: "missing" });
  }
  for (const wrong of ["", "/etc/passwd", "../outside/file", "d/../../outside/file", "d//file", "."]) {
    expect(() => entries.read(path(wrong), 10)).toThrow("no path below a folder");
  }
});

it("writes files and links of any name as a whole, in place of a link and not through it", () => {
  using folder = new TemporaryFolder({
    "work/a": "old",
    "work/link": { link: "../outside/file" },
    "outside/file": "untouched",
  });
  const entries = new FolderEntries(folder.at("work"));
  entries.writeFile(path("new/deep/\xff\n"), Buffer.from("x"), 0o600);
  entries.writeFile(path("link"), Buffer.from("now a file"), 0o755);
  entries.writeLink(path("a"), Buffer.from("elsewhere"));
  expect(entries.read(path("new/deep/\xff\n"), 10)).toMatchObject({ type: "file", mode: 0o600 });
  expect(readFileSync(folder.at("work/link"), "utf8")).toBe("now a file");
  expect(lstatSync(folder.at("work/link")).mode & 0o7777).toBe(0o755);
  expect(readlinkSync(folder.at("work/a"))).toBe("elsewhere");
  expect(readFileSync(folder.at("outside/file"), "utf8")).toBe("untouched");
  expect(entries.removeEmptyFolder(path("new/deep"))).toBe(false);
  entries.removeFile(path("new/deep/\xff\n"));
  expect(entries.removeEmptyFolder(path("new/deep"))).toBe(true);
  expect(readdirSync(folder.at("work")).toSorted()).toEqual(["a", "link", "new"]);
});

it("puts no file there that runs with its owner's rights", () => {
  using folder = new TemporaryFolder({ "work/a": "old" });
  const entries = new FolderEntries(folder.at("work"));
  entries.writeFile(path("b"), Buffer.from("x"), 0o6755);
  entries.setMode(path("a"), 0o4750);
  expect(["a", "b"].map((name) => lstatSync(folder.at(`work/${name}`)).mode & 0o7777)).toEqual([0o750, 0o755]);
});

it("a folder that is pinned stays the same one, whatever is put in its place", () => {
  using folder = new TemporaryFolder({ "above/work/file": "inside", "outside/work/file": "untouched" });
  const entries = new FolderEntries(folder.at("above/work"));
  using pinned = entries.pinned();
  renameSync(folder.at("above"), folder.at("moved"));
  symlinkSync("outside", folder.at("above"));
  pinned.writeFile(path("file"), Buffer.from("changed"), 0o644);
  expect(pinned.read(path("file"), 10)).toMatchObject({ bytes: Buffer.from("changed") });
  expect(["moved/work/file", "outside/work/file"].map((name) => readFileSync(folder.at(name), "utf8"))).toEqual([
    "changed",
    "untouched",
  ]);
  expect(() => entries.pinned()).toThrow("leads elsewhere now");
  rmSync(folder.at("above"));
  symlinkSync("moved/work", folder.at("above"));
  expect(() => new FolderEntries(folder.at("above")).pinned()).toThrow(/ENOTDIR|ELOOP/);
});

it("a folder that is swapped for a link lets nothing be written or removed elsewhere", async () => {
  using folder = new TemporaryFolder({ "work/swap/file": "inside", "outside/file": "untouched" });
  const entries = new FolderEntries(folder.at("work"));
  symlinkSync(folder.at("outside"), folder.at("link"));
  const swapper = spawn(program, ["exchange-for-ever", folder.at("work/swap"), folder.at("link")], { stdio: "ignore" });
  const ended = once(swapper, "exit");
  await once(swapper, "spawn");
  const tries = { done: 0, refused: 0 };
  for (let round = 0; tries.done < 20 || tries.refused < 20; round++) {
    try {
      entries.writeFile(path("swap/file"), Buffer.from(`inside ${round}`), 0o644);
      if (round % 2 === 0) entries.removeFile(path("swap/file"));
      tries.done++;
    } catch {
      tries.refused++;
    }
  }
  swapper.kill("SIGKILL");
  await ended;
  expect(readFileSync(folder.at("outside/file"), "utf8")).toBe("untouched");
  expect(readdirSync(folder.at("outside"))).toEqual(["file"]);
});
