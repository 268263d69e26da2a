// Attacks on the worktrees of threads: what an agent puts in the place of one, or of its `.git`, leads neither git nor a removal elsewhere, and runs nothing.
import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ThreadRow } from "@signalbox/protocol";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { commitFiles } from "./commit.ts";
import { mergeWorktree } from "./merge.ts";
import { GitStates } from "./work-tree-state.ts";
import { Worktrees } from "./worktrees.ts";

let folder: string;
let project: string;
let states: GitStates;
let worktrees: Worktrees;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "signalbox-hostile-worktree-")));
  project = join(folder, "project");
  mkdirSync(project);
  shell(
    "git init -q -b main . && git config user.email a@b && git config user.name a && echo one > a.txt && git add -A && git commit -qm first",
  );
  states = new GitStates(join(folder, "data"));
  worktrees = new Worktrees(join(folder, "data"), states);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const shell = (command: string, cwd = project) =>
  execFileSync("bash", ["-ec", command], {
    cwd,
    encoding: "utf8",
    env: { ...process.env, TOP: folder },
    stdio: "pipe",
  });
const make = async (branch: string | undefined, title: string | null = null) => {
  const { git } = await worktrees.use({ cwd: project, branch, title }, async (place) => place);
  return { worktree: git.worktree, project, git };
};

describe("a branch's name that is an option, a path or no name", () => {
  it("is refused, and nothing is made", async () => {
    // Made by plumbing, which asks no questions.
    shell("git update-ref refs/heads/-x HEAD; git update-ref refs/heads/HEAD HEAD");
    const before = shell("git for-each-ref");
    const names = [
      "-x",
      "--upload-pack=touch ran",
      "../../x",
      "a b\nc",
      "a\nb",
      "refs/heads/../x",
      "HEAD",
      "@",
      "@{-1}",
    ];
    for (const name of [...names, "a\0b", "\ud800", "main~1", "main^{tree}", "x.lock", "/abs", "a//b", "*", "main"])
      await expect(make(name), JSON.stringify(name)).rejects.toMatchObject({
        code: expect.stringMatching(/^(bad_request|conflict)$/),
      });
    expect(shell("git for-each-ref")).toBe(before);
    expect(shell("git worktree list").trim().split("\n")).toHaveLength(1);
    expect(readdirSync(folder)).toEqual(["project"]);
  });

  it("that git takes is a branch of just this name, in one folder below ours", async () => {
    for (const name of ["refs/heads/main", "a/…/b", `${"日/".repeat(90)}日`]) {
      const { worktree, git } = await make(name);
      expect(git.branch).toBe(name);
      expect(shell("git symbolic-ref HEAD", worktree).trim()).toBe(`refs/heads/${name}`);
      expect(worktree.startsWith(`${folder}/data/worktrees/`)).toBe(true);
    }
    expect(shell("git symbolic-ref HEAD").trim()).toBe("refs/heads/main");
  });
});

describe("removing a worktree", () => {
  it("removes a link in its place, not what the link leads to", async () => {
    const own = await make("own");
    const other = await make("other");
    mkdirSync(join(folder, "home"));
    shell("echo work > $TOP/home/work; echo ignored > work", other.worktree);
    for (const target of [other.worktree, join(folder, "home")]) {
      shell(`rm -rf ${own.worktree}; ln -s ${target} ${own.worktree}`);
      expect(await worktrees.listUncommitted(own)).toEqual(["."]);
      await worktrees.remove(own);
      expect(readFileSync(join(target, "work"), "utf8")).not.toBe("");
      expect(existsSync(own.worktree)).toBe(false);
    }
    expect(shell("git worktree list")).not.toContain(own.worktree);
  });

  it("removes nothing by a path that leads out of its own folder", async () => {
    const own = await make("own");
    const above = join(own.worktree, "..");
    const wrong = [`${above}/own/..`, `${above}/own/.`, `${above}/../..`, above, folder, "/", ""];
    for (const worktree of wrong) await worktrees.remove({ worktree, project });
    const raw = own.worktree.slice(0, own.worktree.lastIndexOf("/"));
    for (const worktree of [`${raw}/..`, `${raw}/.`, `${raw}/`]) await worktrees.remove({ worktree, project });
    expect(existsSync(join(own.worktree, "a.txt"))).toBe(true);
    // The folder above was moved, and a link is there.
    renameSync(raw, join(folder, "moved"));
    shell(`ln -s ${folder}/moved ${raw}`);
    await worktrees.remove(own);
    expect(existsSync(join(folder, "moved/own/a.txt"))).toBe(true);
  });

  it("removes no folder that only git's own list was made to name", async () => {
    const own = await make("own");
    shell(
      "mkdir $TOP/home && echo work > $TOP/home/work && echo $TOP/home/.git > .git/worktrees/own/gitdir && cp $0/.git $TOP/home/.git".replace(
        "$0",
        own.worktree,
      ),
    );
    expect(await worktrees.listUncommitted(own)).toEqual(["."]);
    await worktrees.remove(own);
    expect([existsSync(join(folder, "home/work")), existsSync(own.worktree)]).toEqual([true, false]);
  });
});

/** A repository in $TOP/evil with the worktree's own files, in which everything that git could run makes $TOP/ran. */
const evil = `git clone -q . $TOP/evil && cd $TOP/evil && git config user.email a@b && git config user.name a && git switch -q -c own
  for hook in $(ls .git/hooks | sed s/.sample//) post-index-change post-checkout post-commit reference-transaction post-merge pre-auto-gc; do
    printf '#!/bin/sh\\ntouch %s\\n' $TOP/ran > .git/hooks/$hook; chmod +x .git/hooks/$hook; done
  for name in core.fsmonitor core.sshCommand core.pager core.editor diff.external filter.evil.clean filter.evil.smudge filter.evil.process \\
    diff.evil.textconv diff.evil.command merge.evil.driver gpg.program credential.helper core.alternateRefsCommand core.askPass alias.status; do git config $name "touch $TOP/ran; cat"; done
  git config remote.origin.promisor true; git config remote.origin.url "ext::touch $TOP/ran"; git config core.hooksPath $TOP/evil/.git/hooks
  echo '* filter=evil diff=evil merge=evil' > .git/info/attributes; rm -f $TOP/ran`;

it.each([
  ["a .git file that leads to a repository elsewhere", "echo gitdir: $TOP/evil/.git > $W/.git"],
  ["a .git folder of another repository", "rm $W/.git; cp -r $TOP/evil/.git $W/.git"],
  ["a .git that is a link to one", "rm $W/.git; ln -s $TOP/evil/.git $W/.git"],
  [
    "a .git file that leads to a folder with hooks only",
    "mkdir $TOP/h; cp -r $TOP/evil/.git/hooks $TOP/h; echo gitdir: $TOP/h > $W/.git",
  ],
  ["a changed commondir", "echo $TOP/evil/.git > .git/worktrees/own/commondir"],
  ["a changed gitdir", "echo $TOP/evil/.git > .git/worktrees/own/gitdir"],
  ["another worktree's part of the repository", "git worktree add -q $TOP/other; cp $TOP/other/.git $W/.git"],
])("with %s runs nothing, by a look, a commit or a merge, and is not thrown away as clean", async (_name, attack) => {
  const { worktree, git } = await make("own");
  shell(evil);
  shell(`W=${worktree}; ${attack}; rm -f $TOP/ran`);
  const thread = { cwd: worktree, status: "idle", git } as Pick<ThreadRow, "cwd" | "status" | "git"> as ThreadRow;
  const register = { query: async () => ({ rows: [] }) } as never;
  await states.read(worktree, { everySubmodule: true }).catch(() => null);
  expect(await worktrees.listUncommitted({ worktree, project })).toEqual(["."]);
  const refused = { code: expect.stringMatching(/^(bad_request|conflict)$/) };
  await expect(mergeWorktree({ register, gitStates: states }, thread)).rejects.toMatchObject(refused);
  shell("touch -d '1 hour ago' a.txt; echo two > a.txt", worktree);
  await expect(commitFiles(states, thread, { message: "m", paths: ["a.txt"] })).rejects.toMatchObject(refused);
  await worktrees.remove({ worktree, project });
  expect([existsSync(join(folder, "ran")), existsSync(worktree)]).toEqual([false, false]);
  expect(existsSync(join(folder, "evil/a.txt"))).toBe(true);
});
