// Checks checkpoints of real folders: what a repository could make git do, what is kept exactly, what is not kept.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findHelper } from "@signalbox/sandbox";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Checkpoint } from "./checkpoint.ts";
import { cleanStore } from "./clean-store.ts";
import { limits } from "./guards.ts";
import { toText } from "./paths.ts";
import { Project } from "./project.ts";
import { makeRef } from "./refs.ts";
import { findRepository, hasOwnObjects, isHomeOrAbove } from "./repository.ts";

const slow = { timeout: 120_000 };

function temporary(): string {
  const folder = mkdtempSync(join(tmpdir(), "signalbox-changes-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A project in a folder that the commands prepare. */
async function open(commands: string, helper = findHelper()) {
  const root = temporary();
  const folder = join(root, "project");
  mkdirSync(folder);
  const shell = (command: string) =>
    execFileSync("bash", ["-c", command], { cwd: folder, encoding: "utf8", stdio: "pipe" });
  const prepare =
    "export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b GIT_CONFIG_GLOBAL=/dev/null\n";
  shell(prepare + commands);
  const before = fingerprint(join(folder, ".git"));
  const project = new Project({ folder, storePath: join(root, "store"), dataFolder: join(root, "data"), helper });
  onTestFinished(() => project.close());
  await project.open();
  let count = 0;
  return {
    project,
    folder,
    root,
    shell,
    keep: () => project.makeCheckpoint(`refs/checkpoints/test/${++count}`, "after"),
    changes: async (from: Checkpoint, to: Checkpoint) =>
      (await project.store.compare(from, to)).map(({ path, before: was, after: is }) => [
        toText(path),
        was === null ? null : was.mode.toString(8),
        is === null ? null : is.mode.toString(8),
      ]),
    read: async (checkpoint: Checkpoint, path: string) => {
      const sha = (await project.store.readStates(checkpoint, [path])).get(path)?.sha;
      const [bytes] = await project.store.readBlobs(sha === undefined ? [] : [sha]);
      return bytes?.toString();
    },
    isRepositoryUntouched: () => expect(fingerprint(join(folder, ".git"))).toEqual(before),
  };
}

/** Every byte in a folder, and every time but those of objects: git makes an object that is needed again younger. */
function fingerprint(folder: string): Record<string, string> {
  if (!existsSync(folder)) return {};
  return Object.fromEntries(
    readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => {
      const path = join(folder, name);
      const { mtimeMs, mode } = lstatSync(path);
      return [
        name,
        `${mode} ${name.includes("objects") ? "" : mtimeMs} ${lstatSync(path).isFile() ? readFileSync(path, "latin1") : ""}`,
      ];
    }),
  );
}

const commit = "git add -A && git commit -qm first";

describe("files that a git process left in the store", () => {
  const listFiles = (root: string) =>
    readdirSync(join(root, "store"), { recursive: true, encoding: "utf8" }).toSorted();

  it("are removed when its checkpoint fails", slow, async () => {
    const { project, root, keep } = await open("echo 1 > a");
    const { modes } = await keep();
    const before = listFiles(root);
    const changes = { removed: [], entries: [], modes, notKept: new Map() };
    await expect(project.store.commit("refs/checkpoints/bad", "1".repeat(40), changes)).rejects.toThrow("fast-import");
    expect(listFiles(root)).toEqual(before);
  });

  it("are removed when a scan fails and its second try succeeds", slow, async () => {
    const { root, folder } = await open("echo 1 > a");
    const paths = { folder, storePath: join(root, "store"), dataFolder: join(root, "data") };
    // Without the helper nothing watches the folder, so each checkpoint is a scan.
    const scanning = new Project({ ...paths, helper: undefined });
    await scanning.open();
    const indexes = join(root, "store/indexes");
    for (const name of readdirSync(indexes)) writeFileSync(join(indexes, name), "damaged");
    writeFileSync(join(root, "store/objects/tmp_obj_b"), "");
    await scanning.makeCheckpoint("refs/checkpoints/test/1", "after");
    scanning.close();
    expect(listFiles(root).filter((name) => name.includes("tmp_obj"))).toEqual([]);
  });

  it("are removed when the store is opened after a kill", slow, async () => {
    const { root, folder, keep } = await open("echo 1 > a");
    await keep();
    const before = listFiles(root);
    for (const name of [
      "objects/pack/tmp_pack_a",
      "objects/tmp_obj_b",
      "fast_import_crash_7",
      "refs/checkpoints/c.lock",
    ])
      writeFileSync(join(root, "store", name), "");
    const again = new Project({
      folder,
      storePath: join(root, "store"),
      dataFolder: join(root, "data"),
      helper: undefined,
    });
    await again.open();
    again.close();
    expect(listFiles(root)).toEqual(before);
  });
});

describe("a checkpoint", () => {
  it("runs nothing that a repository names, and leaves the repository byte for byte", slow, async () => {
    const { keep, changes, shell, root, read, isRepositoryUntouched } = await open(
      `MARK=$PWD/../ran; git init -q . && echo one > a && echo "*.bin filter=evil diff=evil" > .gitattributes && echo raw > x.bin && ${commit}
       git config filter.evil.clean "touch $MARK; tr a-z A-Z" && git config filter.evil.smudge "touch $MARK; cat" && git config filter.evil.required true
       git config diff.evil.textconv "touch $MARK; cat" && git config diff.external "touch $MARK; true" && git config core.fsmonitor "touch $MARK; false"
       git config core.sshCommand "touch $MARK" && git config remote.o.url ext::"touch $MARK" && git config remote.o.promisor true && git config core.hooksPath hooks
       mkdir hooks && for hook in post-index-change reference-transaction pre-auto-gc; do printf '#!/bin/sh\\ntouch %s\\n' "$MARK" > hooks/$hook; chmod +x hooks/$hook; done
       echo two >> a; git config core.worktree .. && git config --unset core.worktree`,
    );
    const first = await keep();
    expect(await read(first, "x.bin")).toBe("raw\n");
    shell("echo three >> a && echo more >> x.bin && mkdir d && echo n > d/n");
    const second = await keep();
    expect(await changes(first, second)).toEqual([
      ["a", "100644", "100644"],
      ["d/n", null, "100644"],
      ["x.bin", "100644", "100644"],
    ]);
    expect(await read(second, "x.bin")).toBe("raw\nmore\n");
    expect(existsSync(join(root, "ran"))).toBe(false);
    isRepositoryUntouched();
  });

  it("keeps the bytes of the work tree where git would convert them", slow, async () => {
    const { keep, read } = await open(
      `git init -q . && printf '* text=auto\\n*.lfs filter=lfs\\n' > .gitattributes && printf 'a\\r\\nb\\r\\n' > crlf && ${commit}
       printf 'pointer\\n' > big.lfs && git add big.lfs && git commit -qm lfs && printf 'the real content\\n' > big.lfs && git update-index --assume-unchanged big.lfs`,
    );
    const first = await keep();
    expect(await read(first, "crlf")).toBe("a\r\nb\r\n");
    expect(await read(first, "big.lfs")).toBe("the real content\n");
  });

  it("keeps the bytes where attributes are only about line ends, and reads only what git converted", slow, async () => {
    const { keep, read, folder } = await open(
      `git init -q . && printf '* text=auto\\n*.bat text eol=crlf\\n' > .gitattributes && printf 'a\\r\\nb\\r\\n' | tee crlf x.bat > /dev/null && echo lf > lf && ${commit}`,
    );
    const first = await keep();
    for (const path of ["crlf", "x.bat", "lf"])
      expect(await read(first, path)).toBe(readFileSync(join(folder, path), "utf8"));
  });

  it("takes files that the repository tracks for no flood, where its index cannot be used", slow, async () => {
    const { keep, read } = await open(
      `git init -q . && echo '*.lfs filter=lfs' > .gitattributes && mkdir many && seq ${limits.newFiles + 1} | split -l 1 -a 3 - many/f
       git config core.fsync none && ${commit}`,
    );
    const first = await keep();
    expect([...first.notKept]).toEqual([]);
    expect(await read(first, "many/faaa")).toBe("1\n");
  });

  it.each([
    ["watched", findHelper()],
    ["without a watch", undefined],
  ])("sees every kind of change, %s", slow, async (_how, helper) => {
    const { keep, changes, shell, isRepositoryUntouched, project } = await open(
      `git init -q . && printf 'ignored/\\n*.log\\n!keep.log\\n' > .gitignore && echo a > a && echo b > b && mkdir d empty gone && echo c > d/c && echo g > gone/g && echo s > self && ln -s a link && echo t > t.log && git add -f t.log && ${commit}
       git init -q nested && (cd nested && echo n > n && echo 'skip' > .gitignore && git add -A && git commit -qm nested)
       git init -q ../module && (cd ../module && echo m > m && git add -A && git commit -qm module) && git -c protocol.file.allow=always submodule --quiet add ../module sub && git commit -qm sub
       mkdir ignored && echo 1 > ignored/x`,
      helper,
    );
    const first = await keep();
    shell(
      `echo 2 > ignored/x; echo x > new.log; echo k > keep.log; echo u >> t.log; mv a A; ln -sf b link; rm self; ln -s self self; rm -r gone; ln -s gone gone; chmod 700 b; echo e > empty/e; mv d moved
       echo m >> nested/n; echo s > nested/skip; echo y >> sub/m; mkdir -p 'new folder/deep' && printf z > $'new folder/deep/new\\nline \\xff'; mkfifo pipe; rm -rf .git/index.lock`,
    );
    const second = await keep();
    expect(await changes(first, second)).toEqual([
      ["A", null, "100644"],
      ["a", "100644", null],
      ["b", "100644", "100700"],
      ["d/c", "100644", null],
      ["empty/e", null, "100644"],
      ["gone", null, "120000"],
      ["gone/g", "100644", null],
      ["keep.log", null, "100644"],
      ["link", "120000", "120000"],
      ["moved/c", null, "100644"],
      ["nested/n", "100644", "100644"],
      ["new folder/deep/new\nline \udcff", null, "100644"],
      ["self", "100644", "120000"],
      ["sub/m", "100644", "100644"],
      ["t.log", "100644", "100644"],
    ]);
    expect(project.repository?.user).not.toBeNull();
    isRepositoryUntouched();
  });

  it("keeps no big and no flood of files, says so, and does not grow by them", slow, async () => {
    const { keep, changes, shell, root } = await open("git init -q . && echo a > a && git add a");
    const first = await keep();
    shell("truncate -s 8G huge; mkdir -p out/a; for i in $(seq 2100); do echo $i > out/a/$i; done; echo b > b");
    const second = await keep();
    expect(await changes(first, second)).toEqual([
      ["b", null, "100644"],
      ["huge", null, "160000"],
    ]);
    expect([...second.notKept.keys()]).toEqual(["out", "huge"]);
    const size = Number(
      execFileSync("du", ["-s", "--block-size=1", join(root, "store")], { encoding: "utf8" }).split("\t")[0],
    );
    expect(size).toBeLessThan(1024 * 1024);
    // It is seen to change, though its content is not kept.
    shell("truncate -s 9G huge");
    expect(await changes(second, await keep())).toEqual([["huge", "160000", "160000"]]);
  });

  it("keeps no flood in a folder that was empty", slow, async () => {
    const { keep, shell } = await open("true");
    shell("mkdir out; cd out; touch $(seq 2100)");
    expect([...(await keep()).notKept.keys()]).toEqual(["out"]);
  });

  it("that cannot be stored fails, and the next one has everything", slow, async () => {
    const { keep, changes, shell, root } = await open("echo a > a");
    const first = await keep();
    const objects = join(root, "store/objects");
    shell(`echo b > b; mv ${objects} ${objects}.away; touch ${objects}`);
    await expect(keep()).rejects.toThrow("git");
    shell(`rm ${objects}; mv ${objects}.away ${objects}`);
    expect(await changes(first, await keep())).toEqual([["b", null, "100644"]]);
  });

  it.each([
    ["watched", findHelper()],
    ["without a watch", undefined],
  ])(
    "of a file that is written meanwhile has what was there at one moment, and the next one the rest: %s",
    slow,
    async (_how, helper) => {
      const { keep, read, folder } = await open("echo start > log", helper);
      const writer = spawn("bash", ["-c", "for i in $(seq 60000); do echo $i; done >> log"], { cwd: folder });
      const ended = once(writer, "close");
      const during: string[] = [];
      while (writer.exitCode === null && during.length < 3) during.push((await read(await keep(), "log")) ?? "nothing");
      await ended;
      const all = readFileSync(join(folder, "log"), "utf8");
      for (const text of during) expect(all.startsWith(text) && text !== "").toBe(true);
      expect((await read(await keep(), "log")) === all).toBe(true);
    },
  );

  it("stays whole when the user's repository is cleaned", slow, async () => {
    const { keep, read, shell, project } = await open(
      `git init -q . && mkdir d && echo old > d/a && echo b > b && ${commit}`,
    );
    const first = await keep();
    shell("echo new > d/a");
    const second = await keep();
    await project.store.copyBorrowed(await project.store.listReplacedObjects(first, second));
    shell(
      "git -c user.name=a -c user.email=a@b commit -qam second --amend && git reflog expire --expire=now --all && git gc --quiet --prune=now",
    );
    expect(await read(first, "d/a")).toBe("old\n");
    shell("echo newer > d/a; echo c > c");
    expect(await read(await keep(), "d/a")).toBe("newer\n");
  });
});

describe("a store that is too big", () => {
  it("forgets the oldest threads, keeps the last one, and frees the space", slow, async () => {
    const { project, shell, read, root } = await open("echo a > a");
    const { store } = project;
    const made: Checkpoint[] = [];
    for (const thread of ["1-old", "2-middle", "3-new"]) {
      shell(`head -c 300000 /dev/urandom > ${thread}`);
      made.push(await project.makeCheckpoint(makeRef(thread, "turn-1", "after"), "after"));
      shell(`rm ${thread}`);
    }
    await cleanStore(store, 700_000);
    const [oldest, , newest] = made;
    if (oldest === undefined || newest === undefined) throw new Error("three checkpoints");
    await expect(store.readCheckpoint(oldest.commit)).rejects.toThrow("not in the store any more");
    expect((await store.readCheckpoint(newest.commit)).tree).toBe(newest.tree);
    expect(await read(newest, "a")).toBe("a\n");
    const size = Number(execFileSync("du", ["-sb", join(root, "store/objects")], { encoding: "utf8" }).split("\t")[0]);
    expect(size).toBeLessThan(700_000);
  });
});

describe("the home folder", () => {
  it.each([
    ["/home/a", true],
    ["/home", true],
    ["/", true],
    ["/home/a/project", false],
    ["/home/ab", false],
  ])("and above: %s is %s", (folder, is) => {
    expect(isHomeOrAbove(folder, "/home/a")).toBe(is);
  });
});

it("the index of a repository and of its worktrees says what files hold; one that only claims to belong to a repository does not", async () => {
  const root = temporary();
  const shell = (command: string) => execFileSync("bash", ["-c", command], { cwd: root, stdio: "pipe" });
  shell(
    `git init -q repo && git -C repo -c user.name=a -c user.email=a@b commit -q --allow-empty -m first
     git -C repo worktree add -q ../tree && git -C repo worktree add -q ../other
     mkdir fake && printf 'gitdir: ../repo/.git/worktrees/tree\n' > fake/.git
     git clone -q --shared repo borrowing && ln -s tree link
     cp -r repo/.git/worktrees/tree made && mkdir planted && printf 'gitdir: %s/made\n' "$PWD" > planted/.git
     printf '%s/repo/.git\n' "$PWD" > made/commondir; printf '%s/planted/.git\n' "$PWD" > made/gitdir`,
  );
  const trusted = async (name: string) => hasOwnObjects(await findRepository(join(root, name)));
  expect(await Promise.all(["repo", "tree", "other", "link"].map(trusted))).toEqual([true, true, true, true]);
  expect(await Promise.all(["fake", "borrowing", "planted"].map(trusted))).toEqual([false, false, false]);
});
