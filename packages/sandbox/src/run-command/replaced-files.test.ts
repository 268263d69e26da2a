// A program outside replaces a file that the sandbox keeps closed, while a command waits for nothing but that moment. The kernel takes the mount away
// then. Git's settings are closed again at once and compared; of every other file the command is ended.
import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
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
  const git = (...words: readonly string[]) =>
    execFileSync("git", words, { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  git("init", "--quiet", "--initial-branch=main");
  const policy = () =>
    createPolicy({ mode: "sandbox", network: "off", workspaceFolders: [folder], dataFolder: join(base, "data") });
  const settings = () => readFileSync(join(folder, ".git/config"), "utf8");
  const run = async (command: readonly [string, ...string[]]) => {
    const result = await runCommand({ enforcement, policy: policy(), command, cwd: folder, timeout: 110_000 });
    if (result.ended === "refused") throw new Error(result.message);
    return { ...result, denied: result.denials.map(({ message }) => message) };
  };
  return { folder, git, settings, policy, run };
}

const evil = "[core]\\n\\tfsmonitor = evil\\n";
/** Each tries in a loop, as fast as it can, until it is ended or told to stop. */
const attacks = {
  "puts its own file in their place": `fs.writeFileSync(".git/own", "${evil}"); fs.renameSync(".git/own", ".git/config");`,
  "writes them in their place": `fs.appendFileSync(".git/config", "${evil}");`,
  "writes git's new file before git renames it": `const file = fs.openSync(".git/config.lock", "r+"); held.push(file); fs.writeSync(file, "${evil}", 400);`,
  "keeps git's new file open and writes it later": `const file = fs.openSync(".git/config.lock", "r+"); held.push(file); setTimeout(() => fs.writeSync(file, "${evil}", 0), 5);`,
  "makes a second name for git's new file": `const name = ".git/second" + held.length; fs.linkSync(".git/config.lock", name); held.push(0); setTimeout(() => fs.appendFileSync(name, "${evil}"), 5);`,
};
const loop = (attempt: string) => `
  const fs = require("node:fs"), held = [];
  fs.writeFileSync("began", "");
  const again = () => {
    const until = Date.now() + 3;
    while (Date.now() < until) try { ${attempt} } catch {}
    if (!fs.existsSync("stop")) setImmediate(again);
  };
  again();`;

it.runIf(hasGuards).each(Object.entries(attacks))(
  "a command that %s while git outside replaces them changes nothing that stays, and its result says so if it wins",
  { timeout: 120_000 },
  async (_what, attempt) => {
    const count = rounds({ some: 3, all: 30 });
    for (let round = 0; round < count; round++) {
      const { folder, git, settings, run } = repository();
      const before = settings();
      const state = { hasEnded: false };
      const running = run([process.execPath, "-e", loop(attempt)]).finally(() => {
        state.hasEnded = true;
      });
      await expect.poll(() => state.hasEnded || existsSync(join(folder, "began")), { timeout: 20_000 }).toBe(true);
      let hasSeenEvil = false;
      for (let change = 0; change < 5 && !state.hasEnded; change++) {
        try {
          git("config", "branch.main.rebase", String(change % 2 === 0));
        } catch {} // the command may have broken the file
        hasSeenEvil ||= settings().includes("evil");
      }
      writeFileSync(join(folder, "stop"), "");
      const { denied } = await running;
      expect(settings().replace(/\[branch "main"\]\n\trebase = \w+\n/, "")).toBe(before);
      if (hasSeenEvil) expect(denied).toContainEqual(expect.stringMatching(/another program replaced .*as they were/));
    }
  },
);

it.runIf(hasGuards)(
  "a setting that could run a program, made outside, ends the command, and its result has the value",
  async () => {
    const { folder, git, run } = repository();
    const running = run(["/bin/sh", "-c", "touch began; sleep 100"]);
    await expect.poll(() => existsSync(join(folder, "began")), { timeout: 20_000 }).toBe(true);
    git("config", "core.autocrlf", "input"); // harmless
    git("config", "alias.st", "status -sb");
    const { ended, denied } = await running;
    expect([ended, denied]).toEqual(["signal", [expect.stringContaining('alias.st "status -sb"')]]);
    expect(git("config", "core.autocrlf")).toBe("input");
    expect(() => git("config", "alias.st")).toThrow();
  },
);

it.runIf(hasGuards)(
  "settings that are written in their place, which only programs outside can do, stay whatever they are",
  async () => {
    const { folder, git, settings, run } = repository();
    const running = run([
      "/bin/sh",
      "-c",
      "touch began; until [ -e stop ]; do sleep 0.01; done; git config pull.rebase true",
    ]);
    await expect.poll(() => existsSync(join(folder, "began")), { timeout: 20_000 }).toBe(true);
    writeFileSync(join(folder, ".git/config"), `${settings()}[alias]\n\tst = !status\n`);
    writeFileSync(join(folder, "stop"), "");
    expect(await running).toMatchObject({ ended: "exit", denied: [] });
    expect([git("config", "alias.st"), git("config", "pull.rebase")]).toEqual(["!status", "true"]);
  },
);

it.runIf(hasGuards).each([
  ["a file", (path: string) => writeFileSync(path, "new")],
  ["a link", (path: string) => symlinkSync("elsewhere", path)],
])(
  "%s that another program puts in the place of a guarded file ends the command, which says why",
  async (_kind, make) => {
    const { folder, run } = repository();
    const guarded = join(folder, ".mcp.json");
    for (const path of [guarded, join(folder, "elsewhere")]) writeFileSync(path, "old");
    const running = run(["/bin/sh", "-c", "touch began; sleep 100"]);
    await expect.poll(() => existsSync(join(folder, "began")), { timeout: 20_000 }).toBe(true);
    make(join(folder, "next"));
    renameSync(join(folder, "next"), guarded);
    const { ended, denied } = await running;
    expect([ended, denied]).toEqual(["signal", [expect.stringContaining(`another program replaced ${guarded}`)]]);
  },
);

it.runIf(hasGuards)("a program with its own streams is ended and says why too", async () => {
  const { folder, policy } = repository();
  const guarded = join(folder, ".mcp.json");
  for (const path of [guarded, join(folder, "next")]) writeFileSync(path, "text");
  const notices: string[] = [];
  const program = startProgram({
    enforcement,
    policy: policy(),
    command: ["/bin/sh", "-c", "git config core.pager x; touch began; read line"],
    cwd: folder,
    onNotice: (line) => notices.push(line),
  });
  if ("code" in program) throw new Error(program.message);
  await expect.poll(() => existsSync(join(folder, "began")), { timeout: 20_000 }).toBe(true);
  renameSync(join(folder, "next"), guarded);
  expect(await program.ended).toEqual({ ended: "signal", signal: "SIGKILL" });
  expect(notices).toEqual([expect.stringContaining("core.pager"), expect.stringContaining(`replaced ${guarded}`)]);
});

it.runIf(hasGuards)("a command that tries to replace a guarded file itself is not ended", async () => {
  const { folder, run } = repository();
  writeFileSync(join(folder, ".mcp.json"), "old");
  const command =
    "echo evil >> .mcp.json; echo evil > x; mv -f x .mcp.json; ln -sf x .mcp.json; rm -f .mcp.json; echo on";
  expect((await run(["/bin/sh", "-c", command])).output.text).toMatch(/on\n$/);
  expect(readFileSync(join(folder, ".mcp.json"), "utf8")).toBe("old");
});
