// Tests that looking at a repository, and making a worktree of it, runs nothing that the repository names, with a real git.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { rounds } from "../../../../test/support/rounds.ts";
import { git } from "../changes/git-process.ts";
import { GitStates } from "./work-tree-state.ts";
import { Worktrees } from "./worktrees.ts";

let folder: string;
let project: string;
let states: GitStates;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "signalbox-repository-")));
  project = join(folder, "project");
  mkdirSync(project);
  shell(`git init -q -b main . && ${identity} && echo one > a.txt && git add -A && git commit -qm first`);
  states = new GitStates(join(folder, "data"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const identity = "git config user.email a@b && git config user.name a";
const shell = (command: string, cwd = project) =>
  execFileSync("bash", ["-ec", command], { cwd, env: { ...process.env, MARK: mark() }, stdio: "pipe" });
const mark = () => join(folder, "ran");

/** Content of another kind and the same length, so that git has to read it. */
const evilInner = `git init -q -b main inner && cd inner && ${identity} && echo one > b.txt && echo '* filter=evil' > .gitattributes
  git add -A && git commit -qm inner && git config filter.evil.clean "touch $MARK; cat" && cd .. && git add inner && git commit -qm outer
  touch -d '1 hour ago' inner/b.txt && echo two > inner/b.txt`;

it.each([
  { name: "a repository inside that is no submodule by name", modules: "true", files: 0, all: 1 },
  { name: "a submodule", modules: "touch .gitmodules; git add .; git commit -qm modules", files: 1, all: 1 },
])(
  "the filter of $name does not run, and its changes are seen before anything is lost",
  async ({ modules, ...seen }) => {
    shell(`${evilInner}; ${modules}; rm -f $MARK`);
    const looked = await states.read(project);
    const all = await states.read(project, { everySubmodule: true });
    expect([looked?.dirty, all?.dirty]).toEqual([seen.files, seen.all]);
    expect(all?.files).toEqual([{ path: "inner", status: "modified" }]);
    expect(existsSync(mark())).toBe(false);
    expect(readdirSync(join(folder, "data/git-looks"))).toEqual([]);
  },
);

it("settings that are swapped while git looks change nothing", async () => {
  shell(`echo '* filter=evil' > .gitattributes && git add -A && git commit -qm attributes
    cp .git/config $MARK.good; cp .git/config $MARK.evil; git config -f $MARK.evil filter.evil.clean "touch $MARK; cat"
    touch -d '1 hour ago' a.txt && echo two > a.txt`);
  const swapping = `while :; do cp ${mark()}.evil .git/new; mv .git/new .git/config; cp ${mark()}.good .git/new; mv .git/new .git/config; done`;
  const swaps = spawn("bash", ["-c", swapping], { cwd: project, stdio: "ignore" });
  try {
    for (let round = 0; round < rounds({ some: 4, all: 12 }); round++) {
      expect(await states.read(project)).toMatchObject({ files: [{ path: "a.txt", status: "modified" }] });
    }
  } finally {
    swaps.kill("SIGKILL");
    await once(swaps, "exit");
  }
  expect(existsSync(mark())).toBe(false);
});

it("the state is the one that git itself gives: branch, upstream, a split index, renames, line ends", async () => {
  shell(`git clone -q . ../clone && cd ../clone && ${identity} && printf 'a\\r\\n' > dos.txt && git config core.autocrlf true
    git update-index --split-index && git add -A && git commit -qm dos && git mv a.txt b.txt && touch dos.txt && echo new > ü.txt`);
  expect(await states.read(join(folder, "clone"))).toMatchObject({
    branch: "main",
    compared_to: "origin/main",
    ahead: 1,
    behind: 0,
    files: [
      { path: "b.txt", status: "renamed", old_path: "a.txt" },
      { path: "ü.txt", status: "untracked" },
    ],
  });
  shell("git switch -q --detach");
  expect(await states.read(project, { base: "main" })).toMatchObject({ branch: null, compared_to: "main", ahead: 0 });
});

it("a filter whose name is not ASCII does not run when a worktree is made", async () => {
  shell(`git config filter.ä.smudge "touch $MARK; cat" && echo '* filter=ä' > .git/info/attributes`);
  const worktrees = new Worktrees(join(folder, "data"), states);
  const made = await worktrees.use({ cwd: project, branch: undefined, title: "x" }, async (place) => place);
  expect(existsSync(join(made.cwd, "a.txt"))).toBe(true);
  writeFileSync(join(made.cwd, "new"), "");
  expect(await worktrees.listUncommitted({ worktree: made.cwd, project })).toEqual(["new"]);
  expect(existsSync(mark())).toBe(false);
});

it("rules that are a pipe or a device are not read: git would wait for them, or read without end", async () => {
  const worktrees = new Worktrees(join(folder, "data"), states);
  const request = { cwd: project, branch: "b", title: null };
  shell("mkfifo pipe; git config core.excludesFile /dev/null; echo pipe > .git/info/exclude");
  expect(await states.read(project)).toMatchObject({ dirty: 0 });
  const attacks = ["info/attributes", "info/exclude", "info/sparse-checkout"].map(
    (name) => [`mv .git/${name} $MARK.${name.slice(5)} || true; mkfifo .git/${name}`, `rm .git/${name}`] as const,
  );
  const names = ["core.attributesFile", "core.excludesFile"];
  const settings = names.map((name) => [`git config ${name} ../project/pipe`, `git config --unset ${name}`] as const);
  for (const [attack, end] of [...attacks, ...settings]) {
    shell(attack);
    await expect(states.read(project), attack).rejects.toThrow("not a regular file");
    await expect(
      worktrees.use(request, async (place) => place),
      attack,
    ).rejects.toThrow("not a regular file");
    shell(end);
  }
});

it("a folder that is a link in the commit is no folder of a worktree", async () => {
  shell("ln -s / sub && git add -A && git commit -qm link && rm sub && mkdir sub && git config core.x y");
  const worktrees = new Worktrees(join(folder, "data"), states);
  const request = { cwd: join(project, "sub"), branch: "b", title: null };
  await expect(worktrees.use(request, async (place) => place)).rejects.toThrow("has no folder sub");
  expect(shell("git branch --list b").toString()).toBe("");
});

it("what git prints is read up to a limit", async () => {
  const args = ["config", "--list"];
  await expect(git(args, { cwd: project, maxOutputBytes: 20 })).rejects.toThrow("more than 20 bytes");
});
