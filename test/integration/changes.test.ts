// Tests what a thread changed on the disk, for any agent: seen from outside, listed, put back, and the restore undone.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import type { QueryArgs, QueryName, QueryRow, RequestParams } from "@signalbox/protocol";
import { describe, expect, it } from "vitest";
import { toolCall, toolCallUpdate } from "../support/fake-agent/script.ts";
import { FakeHost, run, submit, turnEnd } from "../support/fake-host.ts";
import { runProgram } from "../support/host-process.ts";
import type { TestScreen } from "../support/screen.ts";
import { sharedHost } from "../support/shared-host.ts";

const allowAll = { config: { permissions: [{ allow: "all" }] } };

function shell(folder: string, command: string): string {
  return execFileSync("bash", ["-c", command], { cwd: folder, encoding: "utf8" });
}

/** A repository with a commit and work that is not committed. */
function makeRepository(folder: string): void {
  shell(
    folder,
    `git init -q -b main . && git config user.email a@b && git config user.name a
     mkdir src && printf 'one\\ntwo\\nthree\\n' > src/a.txt && printf 'keep\\n' > keep.txt && printf 'gone\\n' > gone.txt
     printf '*.log\\nbuild/\\n' > .gitignore && printf '#!/bin/sh\\n' > run.sh && chmod 755 run.sh && ln -s keep.txt link
     git add -A && git commit -qm first && printf 'staged\\n' > staged.txt && git add staged.txt && printf 'not staged\\n' >> keep.txt`,
  );
}

/** Every entry of a folder as text: type, permission bits and content. */
function contents(folder: string, at = folder): Record<string, string> {
  return Object.fromEntries(
    readdirSync(at).flatMap((name) => {
      const path = join(at, name);
      const status = lstatSync(path);
      if (status.isDirectory()) return Object.entries(contents(folder, path));
      const content = status.isSymbolicLink() ? `-> ${readlinkSync(path)}` : readFileSync(path).toString("latin1");
      return [[relative(folder, path), `${(status.mode & 0o7777).toString(8)} ${content}`]];
    }),
  );
}

async function ask<Name extends QueryName>(
  screen: TestScreen,
  name: Name,
  args: QueryArgs<Name>,
): Promise<readonly QueryRow<Name>[]> {
  return (await screen.query(name, args)).rows;
}

function restore(screen: TestScreen, params: RequestParams<"changes.restore">) {
  return screen.ask("changes.restore", params);
}

/** A disk of 256 kB at this place. Where the system mounts none for us, one that cannot be written when it is full. */
function smallDisk(folder: string) {
  shell("/", `mkdir -p ${folder}`);
  const mount = (options: string) =>
    spawnSync("mount", ["-t", "tmpfs", "-o", options, "none", folder], { stdio: "ignore" }).status === 0;
  const isMounted = mount("size=256k");
  const swap = (command: string) => shell(folder, `for each in */; do (cd "$each" && ${command}); done`);
  return {
    reason: isMounted ? "The disk is full. Free some space." : "git",
    fill: () => (isMounted ? null : swap("mv objects away && touch objects")),
    grow: () => (isMounted ? mount("remount,size=8m") : swap("rm objects && mv away objects")),
    [Symbol.dispose]: () => spawnSync("umount", ["-l", folder], { stdio: "ignore" }),
  };
}

describe("what a thread changed", () => {
  it("is the same in the thread's row, in the list of changed files and in its changes, also after a restore", async () => {
    await using host = await sharedHost(allowAll);
    makeRepository(host.project);
    const screen = await host.screen();
    const thread_id = await host.thread(screen);
    const path = join(host.project, "src/a.txt");
    const expectFiles = async (...files: [path: string, calls: number][]) => {
      const rows = await ask(screen, "changed_files.list", { thread_id });
      expect(rows.map((row) => [relative(host.project, row.path), row.calls])).toEqual(files);
      expect(rows.every(({ source }) => source === "checkpoints")).toBe(true);
      expect(await ask(screen, "changes.list", { thread_id })).toHaveLength(files.length);
      const [thread] = await ask(screen, "threads.list", { cwd: host.project });
      expect(thread).toMatchObject({ files_changed: files.length });
    };
    const first = await run(
      screen,
      thread_id,
      toolCall("edit", { kind: "edit", content: [{ type: "diff", path, oldText: "two", newText: "2" }] }),
      { ask: "fs/write_text_file", params: { path, content: "one\n2\nthree\n" }, quiet: true },
      toolCallUpdate("edit", { status: "completed" }),
      { shell: "echo made > new.txt" },
    );
    // Both the agent's call and the host's own item have the diff.
    await expectFiles(["src/a.txt", 2], ["new.txt", 0]);
    writeFileSync(join(host.project, "mine.txt"), "a person's\n");
    await run(screen, thread_id, { shell: "rm new.txt && echo more >> gone.txt" });
    await expectFiles(["src/a.txt", 2], ["gone.txt", 0]);
    await restore(screen, { thread_id, to_turn_id: first.turn_id });
    await expectFiles();
  });

  it("is listed by tool and by command, put back, and the restore undone; the user's repository stays byte for byte", async () => {
    await using host = await sharedHost(allowAll);
    makeRepository(host.project);
    const repository = contents(join(host.project, ".git"));
    const before = contents(host.project);
    const screen = await host.screen();
    const thread_id = await host.thread(screen);
    const path = join(host.project, "src/a.txt");
    const content = [{ type: "diff", path, oldText: "two", newText: "2" }];
    const first = await run(
      screen,
      thread_id,
      toolCall("edit", { kind: "edit", locations: [{ path }], content }),
      { ask: "fs/write_text_file", params: { path, content: "one\n2\nthree\n" }, quiet: true },
      toolCallUpdate("edit", { status: "completed" }),
      {
        shell:
          "rm gone.txt && chmod 640 run.sh && echo made > new.txt && mkdir -p deep/er && echo x > deep/er/file && echo no > a.log && mv keep.txt kept.txt",
      },
    );
    expect(first.checkpoint).toMatchObject({ files_changed: 6, not_kept: [], notice: null });
    const rows = await ask(screen, "changes.list", { thread_id, turn_id: first.turn_id });
    expect(
      rows.map(({ path: name, status, source, added, removed }) => [name, status, source, added, removed]),
    ).toEqual([
      ["deep/er/file", "added", "command", 1, 0],
      ["gone.txt", "deleted", "command", 0, 1],
      ["kept.txt", "renamed", "command", 0, 0],
      ["new.txt", "added", "command", 1, 0],
      ["run.sh", "modified", "command", 0, 0],
      ["src/a.txt", "modified", "tool", 1, 1],
    ]);
    expect(rows.find((row) => row.path === "run.sh")).toMatchObject({ old_mode: 0o100755, new_mode: 0o100640 });
    const [difference] = await ask(screen, "changes.diff", { thread_id, path: "src/a.txt" });
    expect(difference).toMatchObject({
      hunks: [{ old_start: 1, old_lines: 3, new_start: 1, new_lines: 3, lines: [" one", "-two", "+2", " three"] }],
      old_size: 14,
      new_size: 12,
    });
    const second = await run(screen, thread_id, { shell: "echo four >> src/a.txt && echo more >> new.txt" });
    expect((await ask(screen, "changes.list", { thread_id })).find((row) => row.path === "src/a.txt")).toMatchObject({
      source: "both",
    });
    const after = contents(host.project);

    // A person changes one of the files since.
    writeFileSync(join(host.project, "new.txt"), "mine\n");
    const would = await restore(screen, { thread_id, to_turn_id: first.turn_id, dry_run: true });
    expect(would).toMatchObject({
      turn_id: null,
      files: [
        { path: "deep/er/file", action: "deleted" },
        { path: "gone.txt", action: "created" },
        { path: "keep.txt", action: "created" },
        { path: "kept.txt", action: "deleted" },
        { path: "run.sh", action: "changed" },
        { path: "src/a.txt", action: "changed" },
      ],
      conflicts: [{ path: "new.txt", reason: "It was changed after the last turn of this thread." }],
    });
    expect(contents(host.project)).toEqual({ ...after, "new.txt": "644 mine\n" });
    const restored = await restore(screen, { thread_id, to_turn_id: first.turn_id });
    expect(restored.restored).toEqual(would.restored);
    expect(contents(host.project)).toEqual({ ...before, "new.txt": "644 mine\n", "a.log": "644 no\n" });
    expect(existsSync(join(host.project, "deep"))).toBe(false);

    const undone = await restore(screen, { thread_id, to_turn_id: restored.turn_id ?? "" });
    expect(undone.conflicts).toEqual([]);
    expect(contents(host.project)).toEqual({ ...after, "new.txt": "644 mine\n" });
    // Only one file, and only the second turn.
    await restore(screen, { thread_id, to_turn_id: second.turn_id, paths: ["src/a.txt"] });
    expect(readFileSync(path, "utf8")).toBe("one\n2\nthree\n");
    expect(contents(join(host.project, ".git"))).toEqual(repository);
    const [row] = (await ask(screen, "threads.list", {})).filter(({ id }) => id === thread_id);
    expect(row).toMatchObject({ checkpoints: { on: true }, git: { branch: "main" } });
  });

  it("is put back hunk by hunk, and not while a turn runs", async () => {
    await using host = await sharedHost(allowAll);
    const lines = (text: string) => text.split("").join("\n");
    writeFileSync(join(host.project, "a"), lines("abcdefghijklmnopqrstuvwxyz"));
    const screen = await host.screen();
    const thread_id = await host.thread(screen);
    const turn = await run(screen, thread_id, { shell: "sed -i -e s/b/B/ -e /y/d a" });
    const [row] = await ask(screen, "changes.diff", { thread_id, path: "a", turn_id: turn.turn_id });
    const [, last] = row?.hunks ?? [];
    if (last === undefined) throw new Error("two hunks");
    const running = await submit(screen, thread_id, { wait: 60_000 });
    const during = await screen.request({ control: "changes.restore", thread_id, to_turn_id: turn.turn_id });
    expect(during).toMatchObject({ type: "tinyvex.error", code: "conflict" });
    await screen.request({ control: "run.cancel", thread_id });
    await turnEnd(screen, running);
    const { lines: _lines, ...place } = last;
    // Named twice, as by two clicks.
    const hunks = [place, place].map((each) => ({ path: "a", ...each }));
    expect(await restore(screen, { thread_id, to_turn_id: turn.turn_id, hunks })).toMatchObject({
      restored: ["a"],
      conflicts: [],
    });
    expect(readFileSync(join(host.project, "a"), "utf8")).toBe(lines("aBcdefghijklmnopqrstuvwxyz"));
    const again = await restore(screen, { thread_id, to_turn_id: turn.turn_id, hunks });
    expect(again).toMatchObject({ restored: [], conflicts: [{ path: "a" }] });
  });

  it("survives a kill of the host in the middle of a turn", async () => {
    await using host = await FakeHost.start(allowAll);
    writeFileSync(join(host.project, "a"), "before\n");
    const screen = await host.screen();
    const thread_id = await host.thread(screen);
    const turnId = await submit(
      screen,
      thread_id,
      { shell: "echo during > a && echo new > b" },
      // What was written just before the last sign of life would not be known to be the turn's own.
      { shell: "sleep 0.1" },
      { say: "done" },
      { wait: 60_000 },
    );
    await screen.waitFor(
      (message) => message.type === "tinyvex.update" && message.stream === "messages" && message.text_delta === "done",
    );
    await host.restart("SIGKILL");
    const next = await host.screen();
    expect(
      (await ask(next, "changes.list", { thread_id, turn_id: turnId })).map(({ path, status }) => [path, status]),
    ).toEqual([
      ["a", "modified"],
      ["b", "added"],
    ]);
    const restored = await restore(next, { thread_id, to_turn_id: turnId });
    expect(restored.restored).toEqual(["a", "b"]);
    expect(contents(host.project)).toEqual({ a: "644 before\n" });

    // The commands: through the running host, and without one.
    const data = ["--data-dir", host.process.ready.data_dir];
    const listed = await runProgram(["changes", thread_id, "--turn", turnId, "--json", ...data]);
    expect(
      listed.stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line).path),
    ).toEqual(["a", "b"]);
    const dry = await runProgram(["restore", "last", "--to", restored.turn_id ?? "", "--dry-run", ...data]);
    expect(dry).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("2 files would be put back. Nothing was changed."),
    });
    await host.process.stop();
    const patch = await runProgram(["changes", "last", "--turn", turnId, "--patch", ...data]);
    expect(patch.stdout).toContain("--- a/a\n+++ b/a\n@@ -1,1 +1,1 @@\n-before\n+during\n");
    const undone = await runProgram([
      "restore",
      "last",
      "--to",
      restored.turn_id ?? "",
      "--path",
      "a",
      "--json",
      ...data,
    ]);
    expect(JSON.parse(undone.stdout)).toMatchObject({ restored: ["a"], conflicts: [] });
    expect(contents(host.project)).toEqual({ a: "644 during\n" });
    expect(await runProgram(["restore", "last", ...data])).toMatchObject({ code: 64 });
  });

  it("has the sources of all turns that changed it", async () => {
    await using host = await sharedHost(allowAll);
    const screen = await host.screen();
    const thread_id = await host.thread(screen);
    const path = join(host.project, "n.txt");
    await run(
      screen,
      thread_id,
      toolCall("write", { kind: "edit", locations: [{ path }] }),
      { ask: "fs/write_text_file", params: { path, content: "one\n" }, quiet: true },
      toolCallUpdate("write", { status: "completed" }),
    );
    expect(await ask(screen, "changes.list", { thread_id })).toMatchObject([{ path: "n.txt", source: "tool" }]);
    await run(screen, thread_id, { shell: "echo two >> n.txt" });
    expect(await ask(screen, "changes.list", { thread_id })).toMatchObject([{ path: "n.txt", source: "both" }]);
  });

  /** A turn wrote `f`, the host is killed in it, and a person writes `f` and `p`, which the turn never touched. */
  async function crashBesidePerson(writesWhen: "while the host is down" | "after its start") {
    const host = await FakeHost.start(allowAll);
    for (const name of ["f", "own", "p"]) writeFileSync(join(host.project, name), "base\n");
    const screen = await host.screen();
    const thread_id = await host.thread(screen);
    const work = { shell: "echo agent | tee -a f own > new && sleep 0.1" };
    const turnId = await submit(screen, thread_id, work, { say: "done" }, { wait: 60_000 });
    await screen.waitFor(
      (message) => message.type === "tinyvex.update" && message.stream === "messages" && message.text_delta === "done",
    );
    const write = () => shell(host.project, "echo person | tee -a f >> p");
    await host.process.stop("SIGKILL");
    if (writesWhen === "while the host is down") write();
    await host.restart();
    if (writesWhen === "after its start") write();
    const next = await host.screen();
    // The host is ready only when the turn has its end checkpoint.
    const [turn] = await ask(next, "turns.list", { thread_id });
    expect(turn?.checkpoint?.after).toEqual(expect.any(String));
    await next.request({ control: "tvx.subscribe", stream: "thread", thread_id });
    return { host, screen: next, thread_id, turnId };
  }

  it.each(["while the host is down", "after its start"] as const)(
    "does not include a person's work after a kill of the host, done %s: a restore leaves it, and names the conflict",
    async (writesWhen) => {
      const crash = await crashBesidePerson(writesWhen);
      await using host = crash.host;
      const { screen, thread_id, turnId } = crash;
      await run(screen, thread_id, { say: "next" });
      const listed = await ask(screen, "changes.list", { thread_id, turn_id: turnId });
      expect(listed.map(({ path }) => path)).not.toContain("p");
      const { restored, conflicts } = await restore(screen, { thread_id, to_turn_id: turnId });
      expect(restored).toEqual(["new", "own"]);
      expect(conflicts.map(({ path }) => path)).toContain("f");
      expect(contents(host.project)).toEqual({
        f: "644 base\nagent\nperson\n",
        own: "644 base\n",
        p: "644 base\nperson\n",
      });
    },
  );

  it("is all a conflict after a kill of the host if its end cannot be kept", async () => {
    await using host = await FakeHost.start(allowAll);
    using disk = smallDisk(join(host.process.ready.data_dir, "checkpoints"));
    writeFileSync(join(host.project, "a"), "before\n");
    const screen = await host.screen();
    const thread_id = await host.thread(screen);
    const work = { shell: "echo during > a && head -c 400000 /dev/urandom > big && sleep 0.1" };
    const turnId = await submit(screen, thread_id, work, { say: "done" }, { wait: 60_000 });
    await screen.waitFor(
      (message) => message.type === "tinyvex.update" && message.stream === "messages" && message.text_delta === "done",
    );
    disk.fill();
    await host.restart("SIGKILL");
    const next = await host.screen();
    await next.request({ control: "tvx.subscribe", stream: "thread", thread_id });
    await run(next, thread_id, { say: "next" });
    disk.grow();
    await run(next, thread_id, { say: "another" });
    const { restored, conflicts } = await restore(next, { thread_id, to_turn_id: turnId });
    expect(restored).toEqual([]);
    expect(conflicts.map(({ path }) => path)).toEqual(["a", "big"]);
    expect(readFileSync(join(host.project, "a"), "utf8")).toBe("during\n");
  });

  it("is not kept on a full disk: the turn says so, the prompt goes out, and the next turn is kept again", async () => {
    await using host = await FakeHost.start(allowAll);
    using disk = smallDisk(join(host.process.ready.data_dir, "checkpoints"));
    writeFileSync(join(host.project, "Name.txt"), "text\n");
    const screen = await host.screen();
    const thread_id = await host.thread(screen);
    const renamed = await run(screen, thread_id, { shell: "mv Name.txt name.txt" });
    expect(await ask(screen, "changes.list", { thread_id })).toMatchObject([
      { path: "name.txt", old_path: "Name.txt", status: "renamed" },
    ]);
    await restore(screen, { thread_id, to_turn_id: renamed.turn_id });
    expect(contents(host.project)).toEqual({ "Name.txt": "644 text\n" });

    disk.fill();
    const notKept = await run(screen, thread_id, { shell: "head -c 400000 /dev/urandom > big" });
    expect(notKept.checkpoint).toMatchObject({
      after: null,
      notice: expect.stringContaining(`What this turn changed was not kept: ${disk.reason}`),
    });
    expect(await run(screen, thread_id, { say: "hello" })).toMatchObject({
      status: "ended",
      checkpoint: { before: null, notice: expect.stringContaining("so they cannot be put back") },
    });
    disk.grow();
    const kept = await run(screen, thread_id, { shell: "echo c > c" });
    expect(kept.checkpoint).toMatchObject({ files_changed: 1, notice: null });
    await restore(screen, { thread_id, to_turn_id: kept.turn_id });
    expect(Object.keys(contents(host.project))).toEqual(["Name.txt", "big"]);
  });

  it("is not kept in the home folder: the row says so, and the prompt goes out", async () => {
    await using host = await sharedHost(allowAll);
    const screen = await host.screen();
    const thread_id = await host.thread(screen, "/");
    const turn = await run(screen, thread_id, { say: "hello" });
    expect(turn).toMatchObject({ status: "ended", checkpoint: null });
    const [row] = (await ask(screen, "threads.list", {})).filter(({ id }) => id === thread_id);
    expect(row?.checkpoints).toMatchObject({ on: false, reason: expect.stringContaining("home folder") });
    const refused = await screen.request({ control: "tvx.query", name: "changes.list", args: { thread_id } });
    expect(refused).toMatchObject({ type: "tinyvex.error", code: "unavailable" });
  });
});
