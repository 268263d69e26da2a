// A whole agent inside the sandbox: to its parent it is a program like any other, and it touches only what is its own.
import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { beforeAll, describe, expect, it } from "vitest";
import { processesWith, untilPresent } from "../../../../test/support/processes.ts";
import { type AgentEnforcement, canSandboxAgents } from "../enforcement/enforcement.ts";
import { settleMadeSettings } from "../made-settings/made-settings.ts";
import type { PolicySettings } from "../policy/create-policy.ts";
import { provenEnforcement } from "../testing/proven-enforcement.ts";
import { SandboxedPlace } from "../testing/sandboxed-place.ts";
import { spawnSandboxed } from "./spawn-sandboxed.ts";
import type { SupervisedProcess } from "./spawn-supervised.ts";

let enforcement: AgentEnforcement;
beforeAll(async () => {
  const proven = await provenEnforcement();
  if (!canSandboxAgents(proven)) throw new Error("these tests need namespaces");
  enforcement = proven;
}, 60_000);

const home = {
  "home/.claude/.credentials.json": "own log-in",
  "home/.claude/settings.json": "{}",
  "home/.codex/auth.json": "another agent's log-in",
  "home/.ssh/id": "a key",
};

function start(
  place: SandboxedPlace,
  script: string,
  command = "/bin/sh",
  onNotice: (line: string) => void = () => {},
): SupervisedProcess {
  const path = place.folder.at("home/.claude");
  const [folder = "", upper = "", work = ""] = ["home", "upper", "work"].map((name) => place.folder.at(`data/${name}`));
  for (const each of [folder, upper, work, path]) mkdirSync(each, { recursive: true });
  const standIn = { type: "overlay", lower: path, upper, work } as const;
  const agent: PolicySettings["agent"] = { home: folder, layers: [{ path, standIn }], programs: [] };
  return spawnSandboxed({
    enforcement,
    policy: place.policy({ network: "on", agent }),
    command,
    args: ["-c", script],
    cwd: place.folder.at("work"),
    env: { PATH: process.env.PATH ?? "", HOME: place.folder.at("home"), AGENT_KEY: "its own key" },
    onNotice,
  });
}

const exitOf = async ({ process: child }: SupervisedProcess) =>
  (await once(child, "exit")) as [number | null, string | null];

async function run(place: SandboxedPlace, script: string) {
  const program = start(place, script);
  const ended = exitOf(program);
  const { stdout, stderr } = program.process;
  const [output, problems] = await Promise.all([text(stdout), text(stderr)]);
  return { output, problems, ended: await ended };
}

describe("an agent inside the sandbox", () => {
  it("changes harmless settings of the repository while it runs, and no others", async () => {
    const before = "[core]\n\tbare = false\n";
    using place = new SandboxedPlace({
      ...home,
      "work/.git/config": before,
      "work/.git/HEAD": "ref: refs/heads/main\n",
      "work/.git/objects": null,
      "work/.git/refs": null,
    });
    const lines: string[] = [];
    const settings = () => readFileSync(place.folder.at("work/.git/config"), "utf8");
    const script =
      "git config pull.rebase true; read line; git config core.hooksPath /tmp/x; read line; git config core.hooksPath";
    const program = start(place, script, "/bin/sh", (line) => lines.push(line));
    const ended = exitOf(program);
    await expect.poll(settings, { timeout: 20_000 }).toBe(`${before}[pull]\n\trebase = true\n`);
    program.process.stdin.write("go\n");
    await expect.poll(() => lines, { timeout: 20_000 }).toEqual([expect.stringContaining("core.hookspath")]);
    program.process.stdin.end("go\n");
    expect(await ended).toEqual([1, null]);
    expect(settings()).not.toContain("hooksPath");
  });

  it("sees what a person sets outside meanwhile, which stays, and changes what is harmless after it", async () => {
    using place = new SandboxedPlace({
      ...home,
      "work/.git/config": "[core]\n\tbare = false\n",
      "work/.git/HEAD": "ref: refs/heads/main\n",
      "work/.git/objects": null,
      "work/.git/refs": null,
    });
    const lines: string[] = [];
    const file = place.folder.at("work/.git/config");
    // In the instant in which git outside replaces the file, git inside can fail to write it, as it fails where another git has the lock.
    const retry = (command: string) => `until ${command}; do sleep 0.02; done`;
    const script = `${retry("git config pull.ff")}; ${retry("git config pull.rebase true")}; read line`;
    const program = start(place, script, "/bin/sh", (line) => lines.push(line));
    const [ended, output] = [exitOf(program), text(program.process.stdout)];
    execFileSync("git", ["config", "--file", file, "pull.ff", "only"]);
    await expect.poll(() => readFileSync(file, "utf8"), { timeout: 20_000 }).toContain("\trebase = true\n");
    program.process.stdin.end("go\n");
    await ended;
    expect([await output, lines]).toEqual(["only\n", []]);
    expect(readFileSync(file, "utf8")).toContain("\tff = only\n");
  });

  it("has its own streams, environment, exit code and signal", async () => {
    using place = new SandboxedPlace();
    const program = start(place, 'read line; echo "got $line with $AGENT_KEY"; echo problem >&2; exit 7');
    program.process.stdin.end("hello\n");
    const ended = exitOf(program);
    const { stdout, stderr } = program.process;
    expect(await Promise.all([text(stdout), text(stderr)])).toEqual(["got hello with its own key\n", "problem\n"]);
    expect(await ended).toEqual([7, null]);
    expect((await run(place, "kill -KILL $$")).ended).toEqual([null, "SIGKILL"]);
  });

  it("sees its own log-in and no other, and writes a home and a state that stay private", async () => {
    using place = new SandboxedPlace({ ...home, "home/.nvm/node": "node" });
    const { output } = await run(
      place,
      [
        "cat ~/.claude/.credentials.json; echo; cat ~/.nvm/node; echo",
        "cat ~/.codex/auth.json ~/.ssh/id",
        "echo new > ~/.claude/.credentials.json.1 && mv ~/.claude/.credentials.json.1 ~/.claude/.credentials.json",
        "mkdir ~/.claude/projects && echo made > work.txt && echo state >> ~/.claude/projects/a",
        "echo changed > ~/.claude/settings.json; rm ~/.claude/settings.json",
        "echo mine > ~/.profile; mkdir ~/.codex && echo mine > ~/.codex/new; echo no > ~/.nvm/node",
        "cat ~/.claude/.credentials.json ~/.profile",
      ].join("\n"),
    );
    expect(output).toBe("own log-in\nnode\nnew\nmine\n");
    expect(readFileSync(place.folder.at("home/.claude/.credentials.json"), "utf8")).toBe("own log-in");
    expect(readFileSync(place.folder.at("home/.claude/settings.json"), "utf8")).toBe("{}");
    expect(readFileSync(place.folder.at("home/.nvm/node"), "utf8")).toBe("node");
    expect(readFileSync(place.folder.at("work/work.txt"), "utf8")).toBe("made\n");
    for (const name of ["home/.claude/projects", "home/.profile", "home/.codex/new"])
      expect(existsSync(place.folder.at(name))).toBe(false);
    expect((await run(place, "cat ~/.claude/projects/a ~/.claude/settings.json")).output).toBe("state\n");
  });

  it("gets the signals that its parent sends, and so do its children", async () => {
    using place = new SandboxedPlace();
    for (const [signal, name] of [
      ["SIGTERM", "TERM"],
      ["SIGINT", "INT"],
      ["SIGUSR1", "USR1"],
    ] as const) {
      const program = start(place, `trap 'echo cleaned; exit 5' ${name}; sleep 100 & echo ready; wait`, "/bin/bash");
      const ended = exitOf(program);
      const output = text(program.process.stdout);
      await once(program.process.stdout, "data");
      program.process.kill(signal);
      expect(await output).toBe("ready\ncleaned\n");
      expect(await ended).toEqual([5, null]);
    }
  });

  it("ends with everything it started, by itself and by killTree", async () => {
    using place = new SandboxedPlace();
    const mark = randomUUID();
    const daemon = `(setsid bash -c 'trap "" TERM HUP; sleep 100; : daemon ${mark}' &)`;
    expect((await run(place, `${daemon}; exit 3`)).ended).toEqual([3, null]);
    expect(processesWith(mark)).toEqual([]);
    const program = start(place, `trap '' TERM; ${daemon}; sleep 100; : ${mark}`);
    await untilPresent(`daemon ${mark}`);
    const ended = exitOf(program);
    program.killTree();
    await ended;
    expect(processesWith(mark)).toEqual([]);
  });

  it("says on its standard error why it could not start, or was ended", async () => {
    using place = new SandboxedPlace({ "work/.git/HEAD": "ref: refs/heads/main\n", "work/.git/objects": null });
    const missing = start(place, "", "/no/such/program");
    const ended = exitOf(missing);
    expect(await text(missing.process.stderr)).toContain("/no/such/program: No such file or directory");
    expect(await ended).toEqual([125, null]);
    const made = await run(place, "echo x > .git/commondir; sleep 100");
    expect(made.problems).toMatch(/it made .*\.git\/commondir/);
    expect(made.ended).toEqual([null, "SIGKILL"]);
  });

  it("has process numbers that do not repeat from one agent to the next", async () => {
    using place = new SandboxedPlace();
    const numbers = await Promise.all([1, 2, 3, 4].map(async () => (await run(place, "echo $$")).output));
    expect(new Set(numbers).size).toBeGreaterThan(1);
  });
});

it("leaves no settings that programs outside would obey: not at the end of a turn, nor at its own end", async () => {
  using place = new SandboxedPlace(home);
  const notices: string[] = [];
  const script = "echo evil > .mcp.json; echo made; read answer; echo evil > opencode.json";
  const program = start(place, script, "/bin/sh", (line) => notices.push(line));
  await once(program.process.stdout, "data");
  expect(settleMadeSettings(place.folder.at("work"))).toMatchObject([{ path: place.folder.at("work/.mcp.json") }]);
  const ended = exitOf(program);
  program.process.stdin.end("go on\n");
  await ended;
  expect(notices).toEqual([expect.stringContaining("opencode.json is not allowed: programs outside would obey it")]);
  expect(readdirSync(place.folder.at("work"))).toEqual([]);
});
