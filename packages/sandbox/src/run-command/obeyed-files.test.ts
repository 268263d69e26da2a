// Tries every row of the table "Files that programs outside obey" in docs/sandbox.md, with a command and with the decision for file tools.
import { execFileSync, spawnSync } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import type { Enforcement } from "../enforcement/enforcement.ts";
import { canRead, canWrite } from "../policy/can-access.ts";
import { createPolicy } from "../policy/create-policy.ts";
import { listProgramFiles } from "../policy/find-signalbox-program.ts";
import { provenEnforcement } from "../testing/proven-enforcement.ts";
import { SandboxedPlace } from "../testing/sandboxed-place.ts";

const document = readFileSync(join(import.meta.dirname, "../../../../docs/sandbox.md"), "utf8");
const rows = [
  ...document.matchAll(/^\| `([^`]+)` \|[^|]*\|[^|]*\| (closed|closed if there|ended|open) \| (closed|open) \|$/gm),
].map(([, file = "", commands = "", tools = ""]) => ({ file, commands, tools }));

let enforcement: Enforcement;
let hasGuards = false;
beforeAll(async () => {
  enforcement = await provenEnforcement();
  hasGuards = enforcement.kind === "landlock" && enforcement.layer === "namespaces"; // a documented gap elsewhere
}, 60_000);

/** A workspace with a repository that has a submodule and a linked work tree. */
function repository(): SandboxedPlace {
  const place = new SandboxedPlace({ "work/file": "" });
  const work = place.folder.at("work");
  execFileSync("git", ["init", "-q", work]);
  for (const [path, content] of Object.entries({
    ".git/modules/part/HEAD": "ref: refs/heads/main\n",
    ".git/modules/part/config": "before",
    ".git/modules/part/hooks/old": "",
    ".git/worktrees/tree/HEAD": "ref: refs/heads/main\n",
    ".git/sl/requires": "",
    ".hg/requires": "",
    ".jj/repo/store/type": "",
    ".pijul/changes/one": "",
    ".sl/requires": "",
    "_darcs/prefs/binaries": "",
  })) {
    mkdirSync(dirname(join(work, path)), { recursive: true });
    writeFileSync(join(work, path), content);
  }
  return place;
}

const plantings = (file: string): readonly string[] => [
  `mkdir -p ${dirname(file)}; echo evil > ${file}`,
  `echo evil > planted; mv -f planted ${file}`,
  `echo evil > planted; ln -sfn "$PWD/planted" ${file}`,
  `rm -rf ${file}; echo evil > ${file}`,
  `mv ${file.split("/")[0]} moved; mkdir -p ${dirname(file)}; echo evil > ${file}`,
];

/** In one place and few commands: a command for each row and way would take half a minute. */
describe.each(["closed", "closed if there", "open"])("files that are %s for commands", (commands) => {
  const files = rows.filter((row) => row.commands === commands).map(({ file }) => file);

  it("stay as they are, or do not, however a command tries", { timeout: 60_000 }, async () => {
    if (!hasGuards) return;
    using place = repository();
    const at = (file: string) => place.folder.at("work", file);
    for (const file of commands === "closed" ? [] : files) {
      mkdirSync(dirname(at(file)), { recursive: true });
      writeFileSync(at(file), "before");
    }
    const contents = () =>
      files.map((file) => [file, existsSync(at(file)) ? readFileSync(at(file), "utf8") : undefined]);
    const before = contents();
    const ways = plantings("x").map((_, way) =>
      files.map((file) => `(${plantings(file)[way]}); rm -rf moved planted`).join("\n"),
    );
    for (const command of commands === "open" ? ways.slice(0, 1) : ways) {
      await place.run({ enforcement, command });
      expect(contents()).toEqual(commands === "open" ? files.map((file) => [file, "evil\n"]) : before);
    }
  });
});

describe.each(rows.filter(({ commands }) => commands === "ended"))("$file", ({ file }) => {
  it("ends the command that makes it, and is removed", async () => {
    if (!hasGuards) return;
    using place = repository();
    const path = place.folder.at("work", file);
    for (const planting of plantings(file)) {
      const { ended, denials } = await place.run({ enforcement, command: planting });
      expect([planting, existsSync(path)]).toEqual([planting, false]);
      if (!planting.startsWith("mv"))
        expect([planting, ended, denials[0]?.message]).toEqual([
          planting,
          "signal",
          expect.stringContaining(`the command was ended and ${path} removed`),
        ]);
      rmSync(place.folder.at("work/moved"), { recursive: true, force: true });
    }
  });
});

it("file tools decide as the table says", () => {
  using place = new SandboxedPlace();
  const decided = rows.map(({ file }) => {
    const { allowed } = canWrite(place.policy(), place.folder.at("work", file));
    return { file, tools: allowed ? "open" : "closed" };
  });
  expect(decided).toEqual(rows.map(({ file, tools }) => ({ file, tools })));
});

it("workspaces of editors, which may have any name, are closed where they are there", async () => {
  using place = new SandboxedPlace({ "work/my.code-workspace": "before", "work/my.sublime-project": "before" });
  for (const name of ["my.code-workspace", "my.sublime-project"]) {
    const path = place.folder.at("work", name);
    expect(canWrite(place.policy(), path)).toMatchObject({ allowed: false, rule: "editor-settings" });
    if (!hasGuards) continue;
    await place.run({ enforcement, command: `echo evil > ${name}; rm -f ${name}; echo evil > x; mv x ${name}` });
    expect(readFileSync(path, "utf8")).toBe("before");
  }
});

it("a push to a name that a command made a remote runs no hook", async () => {
  using place = repository();
  const work = place.folder.at("work");
  const mark = place.folder.at("outside/mark");
  const plant = `git init -q --bare there; mkdir -p .git/remotes; echo "URL: $PWD/there" > .git/remotes/away
    printf '#!/bin/sh\ntouch ${mark}\n' > there/hooks/pre-receive; chmod +x there/hooks/pre-receive`;
  const push = () => spawnSync("git", ["push", "-q", "away", "HEAD:refs/heads/x"], { cwd: work });
  execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "one", "--allow-empty"], {
    cwd: work,
  });
  await place.run({ enforcement: { kind: "off", helper: undefined }, command: plant });
  push();
  expect(existsSync(mark)).toBe(true); // so the attack is a real one
  rmSync(mark);
  for (const name of [".git/remotes", "there"]) rmSync(join(work, name), { recursive: true });
  if (!hasGuards) return;
  await place.run({ enforcement, command: plant });
  push();
  expect(existsSync(mark)).toBe(false);
});

it("the table has every row", () => {
  expect(rows.length).toBeGreaterThan(120);
});

describe("git outside, after a command", () => {
  it("does not run what a command planted by way of commondir", async () => {
    using place = repository();
    const mark = place.folder.at("outside/mark");
    const settings = `[core]\\n\\trepositoryformatversion = 0\\n\\tbare = false\\n\\tfsmonitor = "touch ${mark}; false"\\n`;
    const plant = `mkdir evil; cp -r .git/objects .git/refs evil/; printf '${settings}' > evil/config; echo ../evil > .git/commondir`;
    const status = () => execFileSync("git", ["status", "--short"], { cwd: place.folder.at("work") });
    await place.run({ enforcement: { kind: "off", helper: undefined }, command: plant });
    status();
    expect(existsSync(mark)).toBe(true); // so the attack is a real one
    rmSync(mark);
    rmSync(place.folder.at("work/.git/commondir"));
    rmSync(place.folder.at("work/evil"), { recursive: true });
    if (!hasGuards) return;
    await place.run({ enforcement, command: plant });
    status();
    expect(existsSync(mark)).toBe(false);
  });

  it("does not run what a command planted beside a repository that it damaged", async () => {
    if (!hasGuards) return;
    using place = repository();
    const mark = place.folder.at("outside/mark");
    const settings = `[core]\\nbare = false\\nworktree = ${place.folder.at("work")}\\nfsmonitor = "touch ${mark}; false"\\n`;
    const plant = `printf '${settings}' > config; mkdir objects refs; cp .git/HEAD HEAD; rm -f .git/HEAD; sleep 0.1; rm -f .git/HEAD`;
    await place.run({ enforcement, command: plant });
    spawnSync("git", ["status"], {
      cwd: place.folder.at("work"),
      env: { ...process.env, GIT_CEILING_DIRECTORIES: place.folder.path },
    });
    expect([existsSync(mark), existsSync(place.folder.at("work/HEAD"))]).toEqual([false, false]);
  });

  it("obeys only included settings that no command changed", async () => {
    if (!hasGuards) return;
    using place = repository();
    writeFileSync(place.folder.at("work/.gitconfig"), "before");
    appendFileSync(place.folder.at("work/.git/config"), "[include]\n\tpath = ../.gitconfig\n");
    await place.run({
      enforcement,
      command: "echo evil > .gitconfig; rm -f .gitconfig; echo evil > x; mv x .gitconfig",
    });
    expect(readFileSync(place.folder.at("work/.gitconfig"), "utf8")).toBe("before");
  });

  it("is committed to from a linked work tree where the user's config opens the repository, and its hooks and settings stay closed", async () => {
    using place = new SandboxedPlace({ "outside/repo/a": "one\n" });
    const repo = place.folder.at("outside/repo");
    const tree = place.folder.at("work/tree");
    const git = (...args: string[]) =>
      execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd: repo, encoding: "utf8" });
    git("init", "-q", "-b", "main");
    git("add", "a");
    git("commit", "-qm", "first");
    git("worktree", "add", "-q", "-b", "own", tree);
    const command = "echo two >> a; git -c user.name=a -c user.email=a@b commit -qam second";
    const options = { enforcement, command, cwd: tree };
    await place.run(options, { workspaceFolders: [tree] });
    expect(git("log", "--format=%s", "own").trim()).toBe("first"); // the repository lies outside
    const settings = { workspaceFolders: [tree], writable: [join(repo, ".git")] };
    await place.run(options, settings);
    expect(git("log", "--format=%s", "own").trim()).toBe("second\nfirst");
    const hook = join(repo, ".git/hooks/post-index-change");
    expect(canWrite(place.policy(settings), hook).allowed).toBe(false);
    if (!hasGuards) return;
    const config = readFileSync(join(repo, ".git/config"), "utf8");
    const plant = `echo evil > ${hook}; cd ${repo}/.git; echo evil > config; echo evil > worktrees/tree/commondir; mv hooks old`;
    await place.run({ ...options, command: plant }, settings);
    expect([existsSync(hook), readFileSync(join(repo, ".git/config"), "utf8")]).toEqual([false, config]);
    expect(readFileSync(join(repo, ".git/worktrees/tree/commondir"), "utf8")).toBe("../..\n");
  });

  it("does not run hooks of a command's choice where the settings name a folder for hooks", async () => {
    using place = repository();
    const work = place.folder.at("work");
    const mark = place.folder.at("outside/mark");
    execFileSync("git", ["config", "core.hooksPath", ".husky/_"], { cwd: work });
    execFileSync("git", ["add", "file"], { cwd: work });
    const hook = ".husky/_/post-index-change";
    const plant = `mkdir -p .husky/_; printf '#!/bin/sh\\ntouch ${mark}\\n' > ${hook}; chmod +x ${hook}; touch file; ls .husky/_`;
    const status = () => execFileSync("git", ["status", "--short"], { cwd: work });
    await place.run({ enforcement: { kind: "off", helper: undefined }, command: plant });
    status();
    expect(existsSync(mark)).toBe(true); // so the attack is a real one
    rmSync(mark);
    rmSync(join(work, ".husky"), { recursive: true });
    if (!hasGuards) return;
    await place.run({ enforcement, command: plant });
    status();
    expect([existsSync(mark), existsSync(join(work, hook))]).toEqual([false, false]);
  });

  it.each([
    ["that are missing", "../.gitlocal"],
    ["that others include", "../.gitconfig"],
  ])("does not obey included settings of a command's making: %s", async (_, included) => {
    if (!hasGuards) return;
    using place = repository();
    const work = place.folder.at("work");
    appendFileSync(join(work, ".git/config"), `[include] path = ${included}\n`);
    writeFileSync(join(work, ".gitconfig"), "[include]\n\tpath = .gitlocal\n");
    await place.run({ enforcement, command: "echo '[core]' > .gitlocal; sleep 0.1" });
    expect(existsSync(join(work, ".gitlocal"))).toBe(false);
  });

  it("has its settings guarded also where .git is a link", async () => {
    if (!hasGuards) return;
    using place = new SandboxedPlace({ "work/repository/config": "before", "work/.git": { link: "repository" } });
    await place.run({
      enforcement,
      command: "echo evil > .git/config; echo evil > repository/config; mv repository x",
    });
    expect(readFileSync(place.folder.at("work/repository/config"), "utf8")).toBe("before");
  });

  it.each([
    [".mcp.json", "shared/mcp.json"],
    [".git/config", "shared/gitconfig"],
    [".git/hooks/pre-commit", "shared/hooks/pre-commit"],
  ])("and %s that lies behind a link is closed, and so is the link", async (file, target) => {
    if (!hasGuards) return;
    using place = new SandboxedPlace({
      "work/.git/HEAD": "ref: refs/heads/main\n",
      "work/shared/mcp.json": "before",
      "work/shared/gitconfig": "before",
      "work/shared/hooks/pre-commit": "before",
      "work/.mcp.json": { link: "shared/mcp.json" },
      "work/.git/config": { link: "../shared/gitconfig" },
      "work/.git/hooks": { link: "../shared/hooks" },
    });
    const link = file.replace("/pre-commit", "");
    const replaced = `echo evil > x; mv -T x ${link}; ln -sfnT x ${link}; rm -f ${link}`;
    await place.run({ enforcement, command: `echo evil > ${file}; echo evil > ${target}; ${replaced}; mv shared y` });
    expect(readFileSync(place.folder.at(`work/${file}`), "utf8")).toBe("before");
    if (file === ".mcp.json") expect(canWrite(place.policy(), place.folder.at(`work/${target}`)).allowed).toBe(false);
  });

  it("and a link in the place of a guarded file opens nothing that is hidden", () => {
    using place = new SandboxedPlace({
      "home/.ssh/id": "secret",
      "work/.mcp.json": { link: "../home/.ssh/id" },
      "work/.zed": { link: "../outside" },
    });
    const policy = place.policy();
    expect(canRead(policy, place.folder.at("work/.mcp.json")).allowed).toBe(false);
    expect(canRead(policy, place.folder.at("home/.ssh/id")).allowed).toBe(false);
    expect(canWrite(policy, place.folder.at("outside/x")).allowed).toBe(false);
  });

  it("ends a command that makes commondir again and again, even if it removes it each time", async () => {
    if (!hasGuards) return;
    using place = repository();
    const command = "while :; do echo ../evil > .git/commondir; rm -f .git/commondir; done";
    expect(await place.run({ enforcement, command, timeout: 20_000 })).toMatchObject({ ended: "signal" });
  });

  it("works inside: commits, branches, a rebase with conflicts", async () => {
    using place = new SandboxedPlace({ "work/file": "" });
    execFileSync("git", ["init", "-q", place.folder.at("work")]);
    const command = `set -e
      git() { command git -c user.name=a -c user.email=a@b.c "$@"; }
      git add file; git commit -qm one; git checkout -qb other; echo a > file; git commit -qam two
      git checkout -q -; echo b > file; git commit -qam three; git rebase other || true
      echo c > file; git add file; GIT_EDITOR=true git rebase --continue; git log --oneline | wc -l`;
    const { output, ended } = await place.run({ enforcement, command });
    expect([ended, output.text.trim().split("\n").at(-1)]).toEqual(["exit", "3"]);
  });
});

it("a checkout of Signalbox as workspace: what the next agent is started with cannot be changed", async () => {
  using place = new SandboxedPlace({
    "work/signalbox": "before",
    "work/.toolchain/node-path": "before",
    "work/node_modules/one/index.js": "before",
    "work/packages/cli/dist/main.js": "before",
    "work/packages/sandbox/dist/signalbox-sandbox": "before",
    "work/packages/cli/src/main.ts": "before",
  });
  const files = listProgramFiles(place.folder.at("work"));
  expect(files.map((path) => path.slice(place.folder.at("work").length + 1)).toSorted()).toEqual([
    ".toolchain",
    "node_modules",
    "packages/cli/dist",
    "packages/sandbox/dist",
    "signalbox",
  ]);
  const targets = [
    "signalbox",
    ".toolchain/node-path",
    "node_modules/one/index.js",
    "packages/cli/dist/main.js",
    "packages/sandbox/dist/signalbox-sandbox",
  ];
  const script = [
    ...targets.flatMap((file) => [
      `echo evil > ${file}`,
      `rm -f ${file}`,
      `echo evil > planted; mv -f planted ${file}`,
    ]),
    "mv packages moved; mv .toolchain moved; mv node_modules moved; rm -rf packages/cli/dist",
    "echo after > packages/cli/src/main.ts",
  ].join("\n");
  for (const mode of ["sandbox", "rwx"] as const) {
    await place.run({ enforcement, command: script }, { mode, programFiles: files });
    for (const file of targets) expect(readFileSync(place.folder.at("work", file), "utf8")).toBe("before");
  }
  expect(readFileSync(place.folder.at("work/packages/cli/src/main.ts"), "utf8")).toBe("after\n");
});

it("the program that runs now is protected without a setting", () => {
  const policy = createPolicy({ mode: "rwx", network: "off", workspaceFolders: [], dataFolder: "/nowhere/data" });
  for (const path of [process.execPath, join(import.meta.dirname, "../../dist/signalbox-sandbox")])
    expect(canWrite(policy, path)).toMatchObject({ allowed: false, rule: "own-program" });
});

it("file tools do not look into running processes", () => {
  using place = new SandboxedPlace();
  for (const name of ["environ", "maps", "mem", "fd/0", "task/1/environ"]) {
    const decision = canRead(place.policy(), `/proc/${process.pid}/${name}`);
    expect([name, decision.allowed && decision.path.startsWith("/proc")]).toEqual([name, false]);
  }
  expect(canRead(place.policy(), "/proc/self/environ")).toMatchObject({ allowed: false, rule: "process-data" });
  expect(canRead(place.policy(), "/proc/cpuinfo").allowed).toBe(true);
});
