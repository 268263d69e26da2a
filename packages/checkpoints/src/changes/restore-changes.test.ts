// Attacks on `changes.restore`: what another thread does to the folder, or to a file in it, in the middle of a restore leads nowhere else.
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync, truncateSync } from "node:fs";
import { FolderEntries, findHelper } from "@signalbox/sandbox";
import { expect, it, onTestFinished, vi } from "vitest";
import { limits } from "./guards.ts";
import { oneTurn } from "./testing/one-turn.ts";

/** A thread in `above/sub` whose one turn removed `autostart/evil` and changed `file`. */
async function afterOneTurn() {
  const { restore, ...turn } = await oneTurn({
    before: "mkdir autostart && printf evil > autostart/evil && printf one > file",
    during: "rm -r autostart && printf two > file",
  });
  return { ...turn, restore: () => restore() };
}

it("puts nothing elsewhere when the thread's folder is replaced by a link meanwhile", async () => {
  const { at, restore, checkpoints } = await afterOneTurn();
  mkdirSync(at("home/.config"), { recursive: true });
  // After the folder was found, and before anything is put back.
  const use = checkpoints.use.bind(checkpoints);
  vi.spyOn(checkpoints, "use").mockImplementation((cwd) => {
    const found = use(cwd);
    renameSync(at("above/sub"), at("above/moved"));
    symlinkSync(at("home/.config"), at("above/sub"));
    return found;
  });
  await expect(restore()).rejects.toMatchObject({ code: "conflict", message: expect.stringContaining("was replaced") });
  expect(readdirSync(at("home/.config"))).toEqual([]);
});

it("puts nothing elsewhere when that happens later, and files where the folder went", async () => {
  const { at, restore } = await afterOneTurn();
  mkdirSync(at("home/.config"), { recursive: true });
  const status = Reflect.get(FolderEntries.prototype, "status");
  vi.spyOn(FolderEntries.prototype, "status").mockImplementation(function swapped(this: FolderEntries, path) {
    if (existsSync(at("above/sub/file"))) {
      renameSync(at("above/sub"), at("above/moved"));
      symlinkSync(at("home/.config"), at("above/sub"));
    }
    return status.call(this, path);
  });
  onTestFinished(() => void vi.restoreAllMocks());
  expect((await restore()).restored).toEqual(["autostart/evil", "file"]);
  expect(readdirSync(at("home/.config"))).toEqual([]);
  expect(readFileSync(at("above/moved/file"), "utf8")).toBe("one");
});

it("does not read a file that grew beyond what any checkpoint has", async () => {
  const { at, restore } = await afterOneTurn();
  const sizes: number[] = [];
  const read = Reflect.get(FolderEntries.prototype, "read");
  vi.spyOn(FolderEntries.prototype, "read").mockImplementation(function grown(this: FolderEntries, path, maxBytes) {
    if (path.toString() === "file") truncateSync(at("above/sub/file"), 2 * limits.trackedBytes);
    const entry = read.call(this, path, maxBytes);
    if (entry.type === "file") sizes.push(entry.bytes.length);
    return entry;
  });
  onTestFinished(() => void vi.restoreAllMocks());
  const { restored, conflicts } = await restore();
  expect(restored).toEqual(["autostart/evil"]);
  expect(conflicts).toEqual([{ path: "file", reason: "It was changed while files were put back." }]);
  expect(sizes).toEqual([]);
});

/** Everything that a repository could name as a program, and files with names of all kinds. The turn changes each of the files. */
const oddFiles = ["git~1/hooks/x", ".git /x", "new\nline", "\"quotes'\\", "x.bin", "sub/inner", "-rf", ":(top)*"];
const odd = {
  before: `git init -q -b main . && git config user.email a@b && git config user.name a
    mkdir .GIT git~1 git~1/hooks '.git ' && git init -q sub && git -C sub -c user.email=a@b -c user.name=a commit -q --allow-empty -m inner
    while IFS= read -r -d '' file; do printf one > "./$file"; done < ../names
    printf one > pipe; printf one > socket; printf one > device; mkdir folder; printf one > folder/file
    echo '*.bin filter=evil diff=evil' > .gitattributes; cp .gitattributes sub; git add pipe socket device folder x.bin .gitattributes; git commit -qm first
    for repo in . sub; do for name in filter.evil.clean filter.evil.smudge filter.evil.process diff.evil.textconv diff.evil.command diff.external core.fsmonitor core.sshCommand; do
      git -C $repo config $name "touch $PWD/../ran; cat"; done
      for hook in post-index-change post-checkout reference-transaction; do printf '#!/bin/sh\\ntouch %s/../ran\\n' "$PWD" > $repo/.git/hooks/$hook; chmod +x $repo/.git/hooks/$hook; done; done
    rm -f ../ran; printf one > ../other; printf one > .GIT/config`,
  during: `while IFS= read -r -d '' file; do printf two > "./$file"; done < ../names
    rm pipe socket device; mkfifo pipe; ln -s /dev/zero device; rm -r folder; ln -s .git folder; printf two > ../other; printf two > .GIT/config
    '${process.execPath}' -e 'require("node:net").createServer().listen("socket", () => process.kill(process.pid, "SIGKILL"))' || true
    printf '[user]\\n\\tname = changed\\n' >> .git/config; printf '#!/bin/sh\\n' > .git/hooks/update`,
};

/** A link of this name, which the turn replaces: then all files are looked at, watched or not. */
const modules = { before: "; ln -s x.bin .gitmodules", during: "; rm .gitmodules; printf two > .gitmodules" };

it.each([
  ["watched", findHelper(), { before: "", during: "" }, []],
  ["not watched", undefined, modules, [".gitmodules"]],
] as const)(
  "files of odd names and kinds in a hostile repository, %s: exactly the thread's own are put back, and nothing runs",
  async (_name, helper, more, links) => {
    const { at, restore } = await oneTurn({
      before: odd.before + more.before,
      during: odd.during + more.during,
      names: oddFiles,
      helper,
    });
    const config = readFileSync(at("above/sub/.git/config"), "utf8");
    const foreign = [
      ".git/config",
      ".git/hooks/update",
      "sub/.git/config",
      "../other",
      at("above/other"),
      ".GIT/config",
      ".GIT/../.git/config",
      "./x.bin",
      "",
      "folder/config",
    ];
    const named = await restore({ paths: foreign });
    expect(named.restored).toEqual([]);
    expect(named.conflicts.map(({ path }) => path).toSorted()).toEqual(foreign.toSorted());
    const { restored, conflicts } = await restore();
    expect(restored).toEqual([...oddFiles, "device", "folder", "folder/file"].toSorted());
    // What is there now is no file: it stays.
    expect(conflicts.map(({ path }) => path).toSorted()).toEqual([...links, "pipe", "socket"]);
    for (const file of [...oddFiles, "device", "folder/file"])
      expect(readFileSync(at(`above/sub/${file}`), "utf8"), file).toBe("one");
    for (const file of ["other", "sub/.GIT/config", ...links.map((name) => `sub/${name}`)])
      expect(readFileSync(at(`above/${file}`), "utf8"), file).toBe("two");
    expect(readFileSync(at("above/sub/.git/config"), "utf8")).toBe(config);
    expect(existsSync(at("above/ran"))).toBe(false);
  },
);
