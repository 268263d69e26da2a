// Checks reading and writing for tools: only where the policy allows, as a whole, and safe from folders that are swapped.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { compileAttempts } from "../escape-attempts/try-attempts.ts";
import { createPolicy } from "../policy/create-policy.ts";
import type { AccessMode } from "../policy/policy.ts";
import { TemporaryFolder, type Tree } from "../testing/temporary-folder.ts";
import { readSmallFile } from "./open-verified.ts";
import { listFolderChecked, readFileChecked } from "./read-file-checked.ts";
import { readPlainFile, readPlainText } from "./read-plain-file.ts";
import { writeFileAtomic } from "./write-file-atomic.ts";

function place(tree: Tree = {}, mode: AccessMode = "sandbox") {
  const folder = new TemporaryFolder({
    "work/file": "before",
    "outside/file": "untouched",
    "data/signalbox.db": "secret",
    ...tree,
  });
  const policy = createPolicy({
    mode,
    network: "off",
    workspaceFolders: [folder.at("work")],
    dataFolder: folder.at("data"),
    homeFolder: folder.at("home"),
    tempFolder: folder.at("temp"),
  });
  return {
    folder,
    write: (name: string, data = "after") => writeFileAtomic(policy, folder.at(name), data),
    read: (name: string) => readFileChecked(policy, folder.at(name)),
    readSmall: (name: string) => readSmallFile(policy, name.startsWith("/") ? name : folder.at(name)),
    list: (name: string) => listFolderChecked(policy, folder.at(name)),
    content: (name: string) => readFileSync(folder.at(name), "utf8"),
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

it("writes a new file, making the folders on the way", async () => {
  using here = place();
  await here.write("work/new/deep/file");
  expect(here.content("work/new/deep/file")).toBe("after");
});

it("replaces a file, keeps its mode, leaves nothing else behind", async () => {
  using here = place();
  chmodSync(here.folder.at("work/file"), 0o640);
  await here.write("work/file");
  expect(here.content("work/file")).toBe("after");
  expect(statSync(here.folder.at("work/file")).mode & 0o777).toBe(0o640);
  expect(readdirSync(here.folder.at("work"))).toEqual(["file"]);
});

it("follows a link that stays inside and keeps it a link", async () => {
  using here = place({ "work/link": { link: "file" } });
  await here.write("work/link");
  expect(here.content("work/file")).toBe("after");
  expect(lstatSync(here.folder.at("work/link")).isSymbolicLink()).toBe(true);
});

it("leaves the other name of a hard-linked file as it was", async () => {
  using here = place({ "work/shared": { hardLink: "outside/file" } });
  await here.write("work/shared");
  expect(here.content("work/shared")).toBe("after");
  expect(here.content("outside/file")).toBe("untouched");
});

it.each(["outside/file", "outside/new", "work/link", "work/folder/new", "work/../outside/new", "data/signalbox.db"])(
  "does not write %s",
  async (name) => {
    using here = place({ "work/link": { link: "../outside/file" }, "work/folder": { link: "../outside" } });
    await expect(here.write(name)).rejects.toMatchObject({ code: "denied", rule: expect.any(String) });
    expect(here.content("outside/file")).toBe("untouched");
    expect(readdirSync(here.folder.at("outside"))).toEqual(["file"]);
  },
);

it("does not write over a folder, below a file, or to a name that ends in a slash", async () => {
  using here = place({ "work/folder": null });
  await expect(here.write("work/folder")).rejects.toMatchObject({ code: "not_a_file" });
  await expect(here.write("work/file/below")).rejects.toMatchObject({ code: "not_a_folder" });
  await expect(here.write("work/new/")).rejects.toMatchObject({ code: "not_a_file" });
});

it("reads what is open and nothing else", async () => {
  using here = place({ "work/link": { link: "../data/signalbox.db" }, "work/copy": { hardLink: "data/signalbox.db" } });
  expect((await here.read("outside/file")).toString()).toBe("untouched");
  for (const name of ["data/signalbox.db", "work/link", "work/copy"]) {
    await expect(here.read(name)).rejects.toMatchObject({ code: "denied", rule: "own-data" });
  }
  await expect(here.read("work/missing")).rejects.toMatchObject({ code: "ENOENT" });
  await expect(here.read("work")).rejects.toMatchObject({ code: "not_a_file" });
});

it("reads a small file synchronously and whole; not one that is larger or has no size", () => {
  using here = place();
  const most = 64 * 1024;
  for (const size of [1, most - 1, most]) {
    writeFileSync(here.folder.at("work/small"), Buffer.alloc(size, "x"));
    expect(here.readSmall("work/small")?.length).toBe(size);
  }
  writeFileSync(here.folder.at("work/large"), Buffer.alloc(most + 1, "x"));
  writeFileSync(here.folder.at("work/empty"), "");
  expect(["work/large", "work/empty"].map(here.readSmall)).toEqual([null, null]);
  expect(here.readSmall("/proc/version")).toBeNull();
});

it("reads nothing synchronously that is no file, hidden, or behind a link to it", () => {
  using here = place({ "work/link": { link: "../data/signalbox.db" } });
  execFileSync("mkfifo", [here.folder.at("work/pipe")]);
  expect(() => here.readSmall("work/pipe")).toThrow("not a regular file");
  expect(() => here.readSmall("work")).toThrow("not a regular file");
  expect(() => here.readSmall("data/signalbox.db")).toThrow("own-data");
  expect(() => here.readSmall("work/link")).toThrow("own-data");
  expect(() => here.readSmall("work/missing")).toThrow("ENOENT");
});

it("a file that grows while it is read is read up to one moment, or not synchronously at all", async () => {
  using here = place();
  const path = here.folder.at("work/log");
  writeFileSync(path, "x");
  const writer = spawn("bash", ["-c", `while :; do echo xxxxxxxxxxxxxxx >> '${path}'; done`]);
  await once(writer, "spawn");
  for (let round = 0; round < 500; round++) {
    const before = statSync(path).size;
    const bytes = here.readSmall("work/log");
    if (bytes !== null) expect(bytes.length).toBeGreaterThanOrEqual(before);
    if (statSync(path).size > 60_000) writeFileSync(path, "x");
  }
  writer.kill("SIGKILL");
  await once(writer, "exit");
});

it("reads what a project brings along up to a bound, and never waits for a pipe", () => {
  using here = place({ "work/settings": "12345" });
  execFileSync("mkfifo", [here.folder.at("work/pipe")]);
  const read = (name: string, most: number) => readPlainFile(here.folder.at(name), most);
  expect(read("work/settings", 5)).toEqual({ bytes: Buffer.from("12345"), isWhole: true });
  expect(read("work/settings", 4)).toEqual({ bytes: Buffer.from("1234"), isWhole: false });
  expect(readPlainText(here.folder.at("work/settings"), 5)).toBe("12345");
  expect(() => readPlainText(here.folder.at("work/settings"), 4)).toThrow("has more than 4 bytes");
  expect(() => read("work/pipe", 5)).toThrow("not a regular file");
  expect(() => read("work", 5)).toThrow("not a regular file");
  expect(() => read("work/missing", 5)).toThrow("ENOENT");
});

it("lists a folder with what its entries are, and not a hidden one", async () => {
  using here = place({ "work/link": { link: "file" }, "work/folder": null });
  expect(await here.list("work")).toEqual([
    { name: "file", kind: "file" },
    { name: "folder", kind: "folder" },
    { name: "link", kind: "link" },
  ]);
  await expect(here.list("data")).rejects.toMatchObject({ code: "denied" });
});

/** Swaps a folder and a link to another place, as fast as it can: what is checked is often not what is opened. */
async function whileSwapping(folder: string, link: string, work: () => Promise<void>): Promise<void> {
  const swapper = spawn(program, ["exchange-for-ever", folder, link], { stdio: "ignore" });
  const ended = once(swapper, "exit");
  try {
    await work();
  } finally {
    swapper.kill("SIGKILL");
    await ended;
  }
}

let program = "";
beforeAll(async () => {
  program = await compileAttempts();
  // Not in `afterAll`, which also runs when this fails: the folder of no program would be the current one.
  return () => rmSync(dirname(program), { recursive: true, force: true });
}, 30_000);

it("a folder that is swapped while we look does not let a write escape", async () => {
  using here = place({ "work/swap/sub/file": "inside", "outside/sub/file": "untouched" });
  symlinkSync(here.folder.at("outside"), here.folder.at("link"));
  const tries = { written: 0, denied: 0 };
  await whileSwapping(here.folder.at("work/swap"), here.folder.at("link"), async () => {
    while (tries.written < 50 || tries.denied < 50) {
      const attempt = here.write("work/swap/sub/file", "inside");
      tries[
        await attempt.then(
          () => "written" as const,
          () => "denied" as const,
        )
      ]++;
    }
  });
  expect(here.content("outside/sub/file")).toBe("untouched");
  expect(readdirSync(here.folder.at("outside/sub"))).toEqual(["file"]);
});

it("a folder that is swapped while we look does not let a secret be read", async () => {
  using here = place({ "work/swap/signalbox.db": "harmless" });
  symlinkSync(here.folder.at("data"), here.folder.at("link"));
  const seen = { denied: 0, harmless: 0, secret: 0 };
  await whileSwapping(here.folder.at("work/swap"), here.folder.at("link"), async () => {
    while (seen.denied < 200 || seen.harmless < 200) {
      const answer = await here.read("work/swap/signalbox.db").then(String, () => "denied");
      seen[answer as keyof typeof seen]++;
    }
  });
  expect(seen.secret).toBe(0);
});

it("a failed write leaves no unfinished file", async () => {
  using here = place({ "work/folder": null });
  rmSync(here.folder.at("work/file"));
  renameSync(here.folder.at("work/folder"), here.folder.at("work/file"));
  await expect(here.write("work/file")).rejects.toThrow("not a regular file");
  expect(readdirSync(here.folder.at("work"))).toEqual(["file"]);
  expect(existsSync(here.folder.at("work/file"))).toBe(true);
});
