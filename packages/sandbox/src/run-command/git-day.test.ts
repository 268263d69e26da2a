// A working day with git inside the sandbox leaves `.git` as plain git leaves it: the same settings, the same refs, no file of ours. Also while a person
// changes settings outside all the time.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createPolicy } from "../policy/create-policy.ts";
import { provenEnforcement } from "../testing/proven-enforcement.ts";
import { runCommand } from "./run-command.ts";

const enforcement = await provenEnforcement();
const hasGuards = enforcement.kind === "landlock" && enforcement.layer === "namespaces";

/** Whatever this machine's own settings are; and the same commits at any time. */
const variables = {
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_AUTHOR_DATE: "2026-01-01T00:00:00Z",
  GIT_COMMITTER_DATE: "2026-01-01T00:00:00Z",
  LC_ALL: "C",
};

const day = [
  "git config user.name 'Jo Doe'",
  "git config user.email jo@example.com",
  "git checkout -b topic origin/main",
  "echo a > a && git add a",
  "git commit -m one",
  "git branch -m topic better",
  "git remote add fork https://example.com/fork.git",
  "git push -u origin better",
  "git checkout -b other main && echo b > b && git add b && git commit -m two",
  "git rebase better",
  "echo c >> a && git stash",
  "git stash pop && git commit -am three",
  "git tag -a v1 -m first",
  "git worktree add -b side trees/side && git -C trees/side commit --allow-empty -m side && git worktree remove trees/side",
  'git -c protocol.file.allow=always submodule add "$PWD/../part.git" part && git commit -m part',
  "git checkout main && git merge --no-ff -m merge other",
  "git branch -d better",
  "git cherry-pick --allow-empty side",
  "git config pull.rebase true",
  "git push origin main --tags && git pull",
  "git reset --soft HEAD~1 && git commit --allow-empty -m again",
];

let root = "";
const base = () => join(root, "base");
const clone = () => join(base(), "clone");
const git = (cwd: string, ...words: readonly string[]) =>
  execFileSync("git", words, {
    cwd,
    encoding: "utf8",
    env: { ...process.env, ...variables },
    stdio: ["ignore", "pipe", "pipe"],
  });

/** Always at the same path: it is in the settings and in commits. */
function cloneRepository(): void {
  rmSync(base(), { recursive: true, force: true });
  const seed = join(base(), "seed");
  mkdirSync(seed, { recursive: true });
  git(seed, "init", "--quiet", "--initial-branch=main");
  const person = ["-c", "user.name=a", "-c", "user.email=a@b"];
  git(seed, ...person, "commit", "--quiet", "--allow-empty", "-m", "first");
  for (const name of ["origin.git", "part.git"]) git(base(), "clone", "--quiet", "--bare", "seed", name);
  git(base(), "clone", "--quiet", "origin.git", "clone");
}

/** Everything that git keeps there, with the content of what decides: settings, refs, and what leads to other folders. */
function describeGitFolder(): Readonly<Record<string, string>> {
  const folder = join(clone(), ".git");
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .toSorted();
  const decides = /(^|\/)(config|HEAD|packed-refs|commondir|gitdir|refs\/.*|logs\/.*)$/;
  const folders = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isDirectory());
  return Object.fromEntries([
    ...folders.map((entry) => [`${relative(folder, join(entry.parentPath, entry.name))}/`, ""]),
    ...files.map((name) => [
      name,
      decides.test(name) && !isSettings(name) ? readFileSync(join(folder, name), "latin1") : "",
    ]),
    ["settings", git(clone(), "config", "--local", "--list").trim().split("\n").toSorted().join("\n")],
    ...files
      .filter((name) => name.endsWith("/config"))
      .map((name) => [`settings in ${name}`, git(clone(), "config", "--file", join(".git", name), "--list")]),
  ]) as Record<string, string>;
}

function isSettings(name: string): boolean {
  return /(^|\/)config$/.test(name);
}

/** The first command that fails ends the day. */
async function workInSandbox(): Promise<string | undefined> {
  const policy = createPolicy({
    mode: "sandbox",
    network: "off",
    workspaceFolders: [clone()],
    dataFolder: join(root, "data"),
    writable: [join(base(), "origin.git")],
  });
  for (const command of day) {
    const result = await runCommand({ enforcement, policy, command, cwd: clone(), env: variables });
    if (result.ended !== "exit" || result.exitCode !== 0 || result.denials.length > 0)
      return `${command}: ${JSON.stringify({ ...result, output: "output" in result ? result.output.text : "" })}`;
  }
  return undefined;
}

let plain: Readonly<Record<string, string>>;

beforeAll(() => {
  root = mkdtempSync("/var/tmp/signalbox-day-");
  cloneRepository();
  for (const command of day)
    execFileSync("/bin/bash", ["-c", command], { cwd: clone(), env: { ...process.env, ...variables }, stdio: "pipe" });
  plain = describeGitFolder();
  renameSync(base(), join(root, "plain"));
});

afterAll(() => rmSync(root, { recursive: true, force: true }));

it.runIf(hasGuards)("a day in the sandbox leaves .git as plain git leaves it", { timeout: 60_000 }, async () => {
  cloneRepository();
  expect(await workInSandbox()).toBe(undefined);
  expect(describeGitFolder()).toEqual(plain);
  rmSync(base(), { recursive: true });
});

/** Now and then, as a person and an editor do. A lock that we have for a moment makes git fail, as another git's does: then it tries again. */
const person = `set() { until git -C clone config "$@" 2> /dev/null; do :; done; }
while [ ! -e stop ]; do
  for value in true false; do set branch.main.rebase $value; set log.date iso; set log.follow $value; sleep 0.1; done
done; set branch.main.rebase true; set log.follow true`;

/**
 * Git outside replaces the file, and until the sandbox has closed it again a git inside may find it locked or changed, as it may without a sandbox. Its
 * command fails then, or a change is dropped and said so; never silently. The day begins anew.
 */
const expectedProblem =
  /could not (?:lock|write) config file|config-file failed|upstream branch config|\.git\/config.*is not allowed/;

it.runIf(hasGuards)("the same while a person runs git config in a loop outside", { timeout: 120_000 }, async () => {
  const changedByPerson = (line: string) => /^(?:branch\.main\.rebase|log\.date|log\.follow)=/.test(line);
  const personsKeys = ["branch.main.rebase=true", "log.date=iso", "log.follow=true"];
  for (let tries = 1; ; tries++) {
    cloneRepository();
    const running = spawn("/bin/bash", ["-c", person], { cwd: base(), env: { ...process.env, ...variables } });
    const ended = once(running, "close");
    const problem = await workInSandbox();
    writeFileSync(join(base(), "stop"), "");
    await ended;
    const { settings = "", ...others } = describeGitFolder();
    expect(settings.split("\n").filter(changedByPerson)).toEqual(personsKeys);
    if (problem !== undefined) expect(problem).toMatch(expectedProblem);
    if (problem !== undefined && tries < 20) continue;
    expect(problem).toBe(undefined);
    const { settings: plainSettings = "", ...plainOthers } = plain;
    expect(others).toEqual(plainOthers);
    expect(settings.split("\n")).toEqual(
      [...plainSettings.split("\n").filter((line) => !changedByPerson(line)), ...personsKeys].toSorted(),
    );
    return;
  }
});
