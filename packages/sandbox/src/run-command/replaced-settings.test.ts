// A program outside writes `.git/config` while a command waits for nothing but that moment. Git writes it where the command reaches nothing; what the
// command writes when another program puts a new file in its place does not stay. Of other guarded files the person is told.
import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { rounds } from "../../../../test/support/rounds.ts";
import { createPolicy } from "../policy/create-policy.ts";
import { provenEnforcement } from "../testing/proven-enforcement.ts";
import { runCommand } from "./run-command.ts";
import { startProgram } from "./start-program.ts";

const enforcement = await provenEnforcement();
const hasGuards = enforcement.kind === "landlock" && enforcement.layer === "namespaces";

function repository() {
  const base = mkdtempSync("/var/tmp/signalbox-replaced-");
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const folder = join(base, "project");
  mkdirSync(folder);
  const git = (...words: readonly string[]) => execFileSync("git", words, { cwd: folder, encoding: "utf8" }).trim();
  git("init", "--quiet", "--initial-branch=main");
  const policy = () =>
    createPolicy({ mode: "sandbox", network: "off", workspaceFolders: [folder], dataFolder: join(base, "data") });
  const settings = () => readFileSync(join(folder, ".git/config"), "utf8");
  const run = (command: readonly [string, ...string[]]) =>
    runCommand({ enforcement, policy: policy(), command, cwd: folder, timeout: 110_000 });
  return { folder, git, settings, policy, run };
}

const evil = "[core]\\n\\tfsmonitor = evil\\n";
/** Each tries in a loop, as fast as it can, until it is ended or told to stop. */
const attacks = {
  "puts its own file in their place": `fs.writeFileSync(".git/own", "${evil}"); fs.renameSync(".git/own", ".git/config");`,
  "writes them in their place": `fs.appendFileSync(".git/config", "${evil}");`,
  "writes git's new file before git renames it": `const file = fs.openSync(".git/config.lock", "r+"); held.push(file); fs.writeSync(file, "${evil}", 400);`,
  "keeps git's new file open and writes it later": `const file = fs.openSync(".git/config.lock", "r+"); held.push(file); later(() => fs.writeSync(file, "${evil}", 0));`,
  "makes a second name for git's new file": `const name = ".git/second" + held.length; fs.linkSync(".git/config.lock", name); held.push(0); later(() => fs.appendFileSync(name, "${evil}"));`,
};
const loop = (attempt: string) => `
  const fs = require("node:fs"), held = [];
  fs.writeFileSync("began", "");
  const later = (write) => {
    fs.appendFileSync("held", ".");
    setTimeout(() => { try { write(); } finally { fs.appendFileSync("written", "."); } }, 5);
  };
  const again = () => {
    const until = Date.now() + 3;
    while (Date.now() < until) try { ${attempt} } catch {}
    if (!fs.existsSync("stop")) setImmediate(again);
  };
  again();`;

it.runIf(hasGuards)(
  "a command that tries all of this gets hold of nothing that git outside writes",
  { timeout: 120_000 },
  async () => {
    const { folder, git, settings, run } = repository();
    git("remote", "add", "origin", "https://example.com/project.git");
    const attempts = Object.values(attacks).map((attempt) => `try { ${attempt} } catch {}`);
    const running = run([process.execPath, "-e", loop(attempts.join(" "))]);
    await expect.poll(() => existsSync(join(folder, "began")), { timeout: 20_000 }).toBe(true);
    const count = rounds({ some: 4, all: 200 });
    for (let index = 0; index < count; index++) {
      // What no command may change, because it runs programs or leads a push elsewhere.
      const wanted = Object.entries({
        "core.hooksPath": `hooks-${index}`,
        "filter.mine.clean": `clean-${index}`,
        "alias.mine": `!mine-${index}`,
      });
      for (const [key, value] of wanted) git("config", key, value);
      git("remote", "set-url", "origin", `https://example.com/${index}.git`);
      expect(settings()).not.toContain("evil");
      for (const [key, value] of wanted) expect(git("config", key)).toBe(value);
      expect(git("remote", "get-url", "origin")).toBe(`https://example.com/${index}.git`);
    }
    const wanted = settings();
    writeFileSync(join(folder, "stop"), "");
    expect(await running).toMatchObject({ ended: "exit" });
    expect(settings()).toBe(wanted);
    expect(existsSync(join(folder, "held"))).toBe(false);
    expect(readdirSync(join(folder, ".git")).filter((name) => name.includes("refused"))).toEqual([]);
  },
);

it.runIf(hasGuards).each(Object.entries(attacks))(
  "a command that %s does not change them, where a program outside puts a new file in their place",
  { timeout: 120_000 },
  async (_what, attempt) => {
    const { folder, git, settings, run } = repository();
    /** As git writes them, but not through the link that `.git/config` is. */
    const replace = (value: string) => {
      const [lock, file] = [join(folder, ".git/config.lock"), join(folder, ".git/config")];
      const now = settings().replace(/\[branch "main"\]\n\trebase = \w+\n/, "");
      writeFileSync(lock, `${now}[branch "main"]\n\trebase = ${value}\n`, { flag: "wx" });
      renameSync(lock, file);
    };
    const size = (name: string) => statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0;
    const count = rounds({ some: 5, all: 30 });
    for (let changes = 0; changes < count; ) {
      for (const name of ["began", "stop", "held", "written"]) rmSync(join(folder, name), { force: true });
      const state = { hasEnded: false };
      const running = run([process.execPath, "-e", loop(attempt)]).finally(() => {
        state.hasEnded = true;
      });
      await expect.poll(() => state.hasEnded || existsSync(join(folder, "began")), { timeout: 20_000 }).toBe(true);
      for (; changes < count && !state.hasEnded; changes++) {
        // It may fail in the moment before what the command wrote is taken back, or carry that over into the next file.
        for (const value of ["true", "false"])
          try {
            replace(value);
          } catch {}
        // What it has hold of it writes a little later.
        await expect.poll(() => state.hasEnded || size("written") >= size("held"), { timeout: 10_000 }).toBe(true);
        await expect.poll(settings, { timeout: 10_000, interval: 2 }).not.toContain("evil");
      }
      writeFileSync(join(folder, "stop"), "");
      expect((await running).ended).not.toBe("refused");
      expect(settings()).not.toContain("evil");
    }
    expect(git("config", "core.bare")).toBe("false");
  },
);

it.runIf(hasGuards)("what a person changes outside meanwhile stays, also what no command may change", async () => {
  const { folder, git, settings, run } = repository();
  const running = run([
    "/bin/sh",
    "-c",
    "touch began; until [ -e stop ]; do sleep 0.01; done; git config pull.rebase true",
  ]);
  await expect.poll(() => existsSync(join(folder, "began")), { timeout: 20_000 }).toBe(true);
  // In its place: no program inside has ever had hold of this file.
  writeFileSync(join(folder, ".git/config"), `${settings()}[user]\n\tname = Jo\n`);
  git("remote", "add", "origin", "https://example.com/project.git"); // writes the settings twice
  git("config", "branch.main.remote", "origin");
  for (const [key, value] of [
    ["user.email", "jo@example.com"],
    ["core.autocrlf", "input"],
    ["rebase.autosquash", "true"],
    // What a command may not change, and what it is not certain that a person wrote is taken back for.
    ["core.hooksPath", ".hooks"],
    ["filter.mine.clean", "mine"],
    ["alias.st", "!status"],
  ] as const)
    git("config", key, value);
  git("remote", "set-url", "origin", "https://example.com/other.git");
  const wanted = settings();
  writeFileSync(join(folder, "stop"), "");
  // What the settings named at the beginning is guarded. This is not.
  const warning = `names ${join(folder, ".hooks")} since another program changed it`;
  expect(await running).toMatchObject({ ended: "exit", warnings: [expect.stringContaining(warning)] });
  expect(settings()).toBe(wanted);
  expect(git("config", "user.name")).toBe("Jo");
});

it.runIf(hasGuards).each([
  ["a file", (path: string) => writeFileSync(path, "new")],
  ["a link", (path: string) => symlinkSync("elsewhere", path)],
])("%s that a program outside puts in the place of a guarded file is guarded again, and told", async (kind, make) => {
  const { folder, run } = repository();
  const guarded = join(folder, ".mcp.json");
  for (const path of [guarded, join(folder, "elsewhere")]) writeFileSync(path, "old");
  // What a link leads to is a file of the workspace: only telling is left.
  const isClosed = kind === "a file" ? "! [ -w .mcp.json ]" : "true";
  const wait = `until [ -e go ] && ${isClosed}; do sleep 0.01; done`;
  const running = run(["/bin/sh", "-c", `touch began; ${wait}; echo evil >> .mcp.json; echo evil > x; mv x .mcp.json`]);
  await expect.poll(() => existsSync(join(folder, "began")), { timeout: 20_000 }).toBe(true);
  make(join(folder, "next"));
  renameSync(join(folder, "next"), guarded);
  writeFileSync(join(folder, "go"), "");
  expect(await running).toMatchObject({ warnings: [expect.stringContaining(`${guarded} was replaced`)] });
  if (kind === "a file") expect(readFileSync(guarded, "utf8")).toBe("new");
});

it.runIf(hasGuards)("of a guarded file that was replaced, a program with its own streams tells too", async () => {
  const { folder, policy } = repository();
  const guarded = join(folder, ".mcp.json");
  for (const path of [guarded, join(folder, "next")]) writeFileSync(path, "text");
  const warnings: string[] = [];
  const program = startProgram({
    enforcement,
    policy: policy(),
    command: ["/bin/sh", "-c", "git config core.pager x; touch began; read line"],
    cwd: folder,
    onWarning: (line) => warnings.push(line),
  });
  if ("code" in program) throw new Error(program.message);
  await expect.poll(() => existsSync(join(folder, "began")), { timeout: 20_000 }).toBe(true);
  renameSync(join(folder, "next"), guarded);
  await expect.poll(() => warnings, { timeout: 20_000 }).toEqual([expect.stringContaining(`${guarded} was replaced`)]);
  program.stdin.end("go\n");
  await program.ended;
  expect(warnings.slice(1)).toEqual([expect.stringContaining("core.pager")]);
});

it.runIf(hasGuards)("a file that no program outside replaced is not told about", async () => {
  const { folder, run } = repository();
  writeFileSync(join(folder, ".mcp.json"), "old");
  const command = "echo evil >> .mcp.json; echo evil > x; mv -f x .mcp.json; ln -sf x .mcp.json; rm -f .mcp.json";
  expect(await run(["/bin/sh", "-c", command])).toMatchObject({ warnings: [] });
});
