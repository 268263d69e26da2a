// Tests that nothing in a turn makes the host lose SQLite's locks on the register: the system drops them when the host closes any descriptor of a
// locked file, by whatever name it was opened. Without them, a second host starts, or another process truncates what the host has mapped.
import { execFileSync } from "node:child_process";
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Step } from "../support/fake-agent/script.ts";
import { FakeHost, run } from "../support/fake-host.ts";
import { HostProcess, TemporaryFolder } from "../support/host-process.ts";
import type { TestScreen } from "../support/screen.ts";

const options = { config: { permissions: [{ allow: "all" }] } };
const registerFiles = ["signalbox.db", "signalbox.db-wal", "signalbox.db-shm", "signalbox.db.lock"];

/** The bytes that SQLite locks for as long as a database is open, and the register's lock for as long as it is held. */
const lockedBytes = [
  { name: "signalbox.db", type: "READ", from: 0x4000_0002 },
  { name: "signalbox.db-shm", type: "READ", from: 128 },
  { name: "signalbox.db.lock", type: "WRITE", from: 0x4000_0001 },
];

/** Those that the host does not hold. A lost lock stays lost, but one look can miss a lock: the list changes while it is read, in several pieces. */
function findLostLocks(host: FakeHost): readonly string[] {
  const looks = Array.from({ length: 3 }, () => findMissingLocks(host));
  return lockedBytes.map(({ name }) => name).filter((name) => looks.every((missing) => missing.includes(name)));
}

function findMissingLocks({ process: { ready } }: FakeHost): readonly string[] {
  // Such as "7: POSIX  ADVISORY  READ 4242 08:01:1234567 128 128".
  const held = readFileSync("/proc/locks", "utf8")
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .map(([, , , type, pid, file, from]) => `${pid} ${file?.split(":").at(-1)} ${type} ${from}`);
  return lockedBytes
    .filter(({ name, type, from }) => {
      const { ino } = statSync(join(ready.data_dir, name));
      return !held.includes(`${ready.pid} ${ino} ${type} ${from}`);
    })
    .map(({ name }) => name);
}

function linkRegister(host: FakeHost, folder: string, names: readonly string[]): readonly string[] {
  return names.map((name, index) => {
    const path = join(folder, name);
    mkdirSync(join(path, ".."), { recursive: true });
    rmSync(path, { force: true });
    linkSync(join(host.process.ready.data_dir, registerFiles[index % registerFiles.length] ?? ""), path);
    return path;
  });
}

/** Reads, writes, lists, runs a command; makes the checkpoints of three turns; puts the files of the first back. */
async function workWith(
  host: FakeHost,
  screen: TestScreen,
  cwd: string,
  { files, rename }: { readonly files: readonly string[]; readonly rename: boolean },
): Promise<readonly (readonly [after: string, lost: readonly string[]])[]> {
  const found: [string, readonly string[]][] = [];
  const look = (after: string) => found.push([after, findLostLocks(host)]);
  const threadId = await host.thread(screen, cwd);
  look("the start");
  const first = await run(screen, threadId, { say: "hello" });
  look("a turn");
  const turns: readonly (readonly [string, readonly Step[]])[] = [
    ["a read", files.map((path) => ({ ask: "fs/read_text_file", params: { path } }))],
    ["a write", files.map((path) => ({ ask: "fs/write_text_file", params: { path, content: "mine" } }))],
    ["a terminal", [{ ask: "terminal/create", params: { command: "ls", args: ["-R"], cwd } }]],
  ];
  for (const [name, steps] of turns) {
    await run(screen, threadId, ...steps);
    look(name);
    // So that the next checkpoint finds them changed.
    if (rename) for (const path of files) renameSync(path, `${path}.moved`);
    await run(screen, threadId, { say: "hello" });
    if (rename) for (const path of files) renameSync(`${path}.moved`, path);
    look(`a checkpoint after ${name}`);
  }
  for (const path of ["", ...files])
    await screen.query("files.find", { thread_id: threadId, query: path }).catch(() => {});
  look("a mention");
  await screen.ask("changes.restore", { thread_id: threadId, to_turn_id: first.turn_id }).catch(() => {});
  look("a restore");
  return found;
}

async function expectLocksKept(
  host: FakeHost,
  found: readonly (readonly [string, readonly string[]])[],
): Promise<void> {
  expect(found.filter(([, lost]) => lost.length > 0)).toEqual([]);
  await expect(HostProcess.start(host.folder.in("data"))).rejects.toThrow("is in use by process");
}

describe.runIf(process.platform === "linux")("the host keeps its locks on the register", { timeout: 120_000 }, () => {
  it("in a folder like any other", async () => {
    await using host = await FakeHost.start(options);
    const files = ["a.txt", "b/c.txt"].map((name) => join(host.project, name));
    mkdirSync(join(host.project, "b"));
    for (const path of files) writeFileSync(path, "text\n");
    const screen = await host.screen();
    await expectLocksKept(host, await workWith(host, screen, host.project, { files, rename: true }));
  });

  it("in a folder that has its files by other names: hard links and symbolic ones", async () => {
    await using host = await FakeHost.start(options);
    const files = linkRegister(host, host.project, ["one", "deep/two", "three", "four"]);
    symlinkSync(join(host.process.ready.data_dir, "signalbox.db-shm"), join(host.project, "five"));
    const screen = await host.screen();
    await expectLocksKept(host, await workWith(host, screen, host.project, { files, rename: true }));
  });

  it("in a repository that has them where git and Signalbox look for settings", async () => {
    await using host = await FakeHost.start(options);
    const screen = await host.screen();
    const places = [
      ".git/index",
      ".git/config",
      ".git/info/exclude",
      ".git/HEAD",
      ".gitignore",
      ".signalbox/config.json",
    ];
    const found: (readonly [string, readonly string[]])[] = [];
    for (const [index, place] of places.entries()) {
      const folder = join(host.project, String(index));
      mkdirSync(folder);
      execFileSync("git", ["init", "-q", folder]);
      // Whatever the host makes of such a folder, it keeps its locks.
      for (const file of registerFiles) {
        rmSync(join(folder, place), { force: true });
        mkdirSync(join(folder, place, ".."), { recursive: true });
        linkSync(join(host.process.ready.data_dir, file), join(folder, place));
        const thread = await host.thread(screen, folder).catch(() => null);
        if (thread !== null) await run(screen, thread, { say: "hello" });
        found.push([`${file} as ${place}`, findLostLocks(host)]);
      }
    }
    await expectLocksKept(host, found);
  });

  it("in its own data folder, of which it makes no checkpoints", async () => {
    await using host = await FakeHost.start(options);
    const { data_dir } = host.process.ready;
    const files = registerFiles.map((name) => join(data_dir, name));
    const screen = await host.screen();
    await expectLocksKept(host, await workWith(host, screen, data_dir, { files, rename: false }));
    const { rows } = await screen.query("threads.list", { cwd: data_dir });
    expect(rows[0]?.checkpoints).toMatchObject({ on: false, reason: expect.stringContaining("data folder") });
  });

  it("in a folder above it whose .gitignore insists on its files", async () => {
    await using host = await FakeHost.start(options);
    writeFileSync(host.folder.in(".gitignore"), "*\n!*/\n!*.db*\n");
    const screen = await host.screen();
    const files = registerFiles.map((name) => join(host.process.ready.data_dir, name));
    await expectLocksKept(host, await workWith(host, screen, host.folder.path, { files, rename: false }));
  });

  it("while it imports a history that is one of its files", async () => {
    using home = new TemporaryFolder();
    await using host = await FakeHost.start({ ...options, env: { HOME: home.path, CLAUDE_CONFIG_DIR: undefined } });
    const screen = await host.screen();
    linkRegister(
      host,
      home.path,
      [1, 2, 3, 4].map((index) => `.claude/projects/-work/${index}.jsonl`),
    );
    await screen.ask("import.start", { source: "claude" });
    await expectLocksKept(host, [["an import", findLostLocks(host)]]);
  });
});
