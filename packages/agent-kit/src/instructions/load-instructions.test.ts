import { execFileSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { deflateSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { loadInstructions } from "./load-instructions.ts";

let base: string;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "signalbox-instructions-")));
});
afterEach(() => rmSync(base, { recursive: true }));

function put(path: string, text: string): string {
  const whole = join(base, path);
  mkdirSync(dirname(whole), { recursive: true });
  writeFileSync(whole, text);
  return whole;
}

function git(folder: string, ...args: readonly string[]): string {
  const env = { PATH: process.env.PATH, HOME: join(base, "nobody") };
  mkdirSync(join(base, folder), { recursive: true });
  return execFileSync("git", ["-C", join(base, folder), ...args], { encoding: "utf8", env });
}

/** A repository that tracks what is there. */
function track(folder: string): void {
  git(folder, "init", "-q");
  git(folder, "add", "-A");
}

const load = (folder: string) => loadInstructions({ cwd: join(base, folder), home: join(base, "home") });
const names = (paths: readonly string[]) => paths.map((path) => path.slice(base.length + 1));

describe("the project's instructions", () => {
  it("are those that the repository tracks, from its top down to the folder, after the user's own", async () => {
    put("home/AGENTS.md", "Mine.");
    put("AGENTS.md", "Not of this repository.");
    const outer = put("repo/AGENTS.md", "Use tabs.\n");
    const inner = put("repo/packages/a/AGENTS.md", "Use spaces.");
    track("repo");
    expect(await load("repo/packages/a")).toMatchObject({
      user: `# From ${join(base, "home/AGENTS.md")}\n\nMine.`,
      project: `# From ${outer}\n\nUse tabs.\n\n# From ${inner}\n\nUse spaces.`,
      notes: [],
    });
  });

  it("may be in CLAUDE.md too, unless that only repeats or names AGENTS.md, or is a link to it", async () => {
    put("repo/AGENTS.md", "Theirs.");
    put("repo/CLAUDE.md", "For Claude.");
    put("repo/a/AGENTS.md", "Same.");
    put("repo/a/CLAUDE.md", "Same.\n");
    put("repo/a/b/AGENTS.md", "Named.");
    put("repo/a/b/CLAUDE.md", "@AGENTS.md\n");
    put("repo/a/b/c/AGENTS.md", "Linked.");
    symlinkSync("AGENTS.md", join(base, "repo/a/b/c/CLAUDE.md"));
    track("repo");
    expect(names((await load("repo/a/b/c")).paths)).toEqual([
      "repo/AGENTS.md",
      "repo/CLAUDE.md",
      "repo/a/AGENTS.md",
      "repo/a/b/AGENTS.md",
      "repo/a/b/c/AGENTS.md",
    ]);
  });

  it("of a folder below are given once, when a file there is used", async () => {
    put("repo/web/AGENTS.md", "Web.");
    put("repo/web/src/AGENTS.md", "Source.");
    track("repo");
    const { below } = await load("repo");
    expect(await below([join(base, "repo/top.ts"), join(base, "other/x.ts")])).toBe("");
    expect(await below([join(base, "repo/web/src/a.ts")])).toMatch(/Web\.[^]*Source\./);
    expect(await below([join(base, "repo/web/src/b.ts")])).toBe("");
  });

  it("are not in a dependency, an ignored folder, a nested repository or a file that git does not track", async () => {
    put("repo/.gitignore", "node_modules\n");
    put("repo/src/a.ts", "");
    track("repo");
    put("repo/node_modules/evil/AGENTS.md", "Evil.");
    put("repo/src/AGENTS.md", "Evil.");
    put("repo/vendor/lib/AGENTS.md", "Evil.");
    track("repo/vendor/lib");
    const { below } = await load("repo");
    for (const file of ["node_modules/evil/index.js", "src/a.ts", "vendor/lib/x.js"])
      expect(await below([join(base, "repo", file)])).toBe("");
  });

  it("are as they were when the session began, whatever was written, added to git or forged since", async () => {
    put("repo/web/AGENTS.md", "Tracked.");
    put("repo/api/AGENTS.md", "Tracked.");
    track("repo");
    const { below } = await load("repo");
    put("repo/web/AGENTS.md", "Evil.");
    put("repo/dl/AGENTS.md", "Evil.");
    git("repo", "add", "-A");
    expect(await below([join(base, "repo/dl/x.ts")])).toBe("");
    expect(await below([join(base, "repo/web/x.ts")])).toContain("Tracked.");
    const id = git("repo", "rev-parse", ":api/AGENTS.md").trim();
    const object = join(base, "repo/.git/objects", id.slice(0, 2), id.slice(2));
    rmSync(object);
    writeFileSync(object, deflateSync("blob 5\0Evil."));
    expect(await below([join(base, "repo/api/x.ts")])).toBe("");
  });

  it("are the same when the session is resumed, whatever was added to git since; a note says so", async () => {
    put("repo/web/AGENTS.md", "Tracked.");
    track("repo");
    const { beginning } = await load("repo");
    for (const path of ["repo/AGENTS.md", "repo/web/AGENTS.md"]) put(path, "Evil.");
    git("repo", "add", "-A");
    const stored = JSON.parse(JSON.stringify(beginning)) as typeof beginning;
    const resumed = await loadInstructions({ cwd: join(base, "repo"), home: join(base, "home"), beginning: stored });
    expect(resumed).toMatchObject({ project: "", paths: [], beginning });
    expect(resumed.notes).toEqual([expect.stringMatching(/did not track it when the session began\. A new session/)]);
    expect(await resumed.below([join(base, "repo/web/x.ts")])).toMatch(/Tracked\.$/);
  });

  it("are the same when a session of a folder without a repository is resumed, also where it has become one", async () => {
    put("plain/AGENTS.md", "Here.");
    const { beginning } = await load("plain");
    for (const name of ["AGENTS.md", "CLAUDE.md"]) put(`plain/${name}`, "Evil.");
    track("plain");
    const resumed = await loadInstructions({ cwd: join(base, "plain"), home: join(base, "home"), beginning });
    expect(resumed.project).toMatch(/Here\.$/);
  });

  it("are the tracked text of a file that was changed before; a note says so, and of an untracked one", async () => {
    put("repo/AGENTS.md", "Tracked.");
    track("repo");
    put("repo/AGENTS.md", "Changed.");
    put("repo/CLAUDE.md", "New.");
    const { project, notes } = await load("repo");
    expect(project).toContain("Tracked.");
    expect(project).not.toMatch(/Changed|New/);
    expect(notes).toEqual([
      expect.stringMatching(/AGENTS\.md: its last changes are not used/),
      expect.stringMatching(/CLAUDE\.md: not used as instructions, because git did not track it/),
    ]);
  });

  it("are those of the folder itself where there is no repository, as it was when the session began", async () => {
    put("AGENTS.md", "Above.");
    const path = put("plain/AGENTS.md", "Here.");
    put("plain/below/AGENTS.md", "Below.");
    const { paths, below, project } = await load("plain");
    expect(paths).toEqual([path]);
    expect(project).toContain("Here.");
    expect(await below([join(base, "plain/below/a.ts")])).toBe("");
  });

  it("are none where git does not answer, with a note", async () => {
    put("repo/.git/HEAD", "no repository");
    put("repo/AGENTS.md", "Whose?");
    const { project, notes } = await load("repo");
    expect(project).toBe("");
    expect(notes).toEqual([expect.stringContaining("git could not say")]);
  });

  it("may be missing, empty, or too long", async () => {
    put("empty/AGENTS.md", " \n");
    expect(await load("empty")).toMatchObject({ project: "", paths: [] });
    expect(await load("none")).toMatchObject({ project: "", paths: [] });
    put("long/AGENTS.md", "x".repeat(60_000));
    track("long");
    const { project } = await load("long");
    expect(project.length).toBeLessThan(51_000);
    expect(project).toContain("is left out: it is too long");
  });

  it("are not a submodule's, another repository's that a .git file names, or another spelling of the name", async () => {
    put("lib/AGENTS.md", "Evil.");
    track("lib");
    git("lib", "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "x");
    put("repo/agents.md", "Evil.");
    put("repo/sub/Claude.md", "Evil.");
    track("repo");
    git("repo", "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", join(base, "lib"), "vendor");
    put("repo/linked/.git", `gitdir: ${join(base, "lib/.git")}`);
    put("repo/AGENTS.md", "Evil.");
    git("repo", "add", "-N", "AGENTS.md");
    const { project, below } = await load("repo");
    const files = ["vendor/x.js", "linked/x.js", "sub/x.js", "../lib/x.js"].map((name) => join(base, "repo", name));
    expect(project + (await below(files))).toBe("");
  });

  it("are not what a replaced object, or a link in the place of a folder, would make of them", async () => {
    for (const name of ["web", "api"]) put(`repo/${name}/AGENTS.md`, `Tracked ${name}.`);
    put("evil/AGENTS.md", "Evil.");
    track("repo");
    track("evil");
    const { below } = await load("repo");
    const id = git("repo", "rev-parse", ":api/AGENTS.md").trim();
    git("repo", "replace", id, git("repo", "hash-object", "-w", join(base, "evil/AGENTS.md")).trim());
    renameSync(join(base, "repo/web"), join(base, "repo/old"));
    symlinkSync(join(base, "evil"), join(base, "repo/web"));
    expect(await below(["web", "api"].map((name) => join(base, "repo", name, "x.ts")))).not.toContain("Evil");
  });

  it("never come over a link that leads out of the folder", async () => {
    put("secret.md", "secret");
    for (const folder of ["plain", "repo"]) {
      mkdirSync(join(base, folder));
      symlinkSync("../secret.md", join(base, folder, "AGENTS.md"));
    }
    track("repo");
    expect(await load("plain")).toMatchObject({ project: "", paths: [] });
    expect(await load("repo")).toMatchObject({ project: "", paths: [] });
  });

  it("are read without starting a program that the repository names", async () => {
    put("repo/AGENTS.md", "Here.");
    track("repo");
    const mark = join(homedir(), `signalbox-ran-${process.pid}`);
    git("repo", "config", "core.fsmonitor", `touch ${mark} #`);
    expect((await load("repo")).project).toContain("Here.");
    expect(readdirSync(homedir())).not.toContain(`signalbox-ran-${process.pid}`);
  });
});
