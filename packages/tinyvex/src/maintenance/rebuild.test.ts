// Rows are made again from the log: when the file was written by a version that declares other tables, and when somebody asks for it.
import { copyFileSync, existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { openRegister, openRegisterReader } from "../open-register.ts";
import type { RebuildProgress, Register } from "../register.ts";
import {
  endTurn,
  fact,
  output,
  says,
  startTurn,
  threadWithTurn,
  toolCall,
  toolUpdate,
  update,
} from "../testing/entries.ts";
import { indexed, integrity, isGapless, storedRows } from "../testing/stored-rows.ts";
import { slow, temporaryFolder, temporaryRegister } from "../testing/temporary-register.ts";

/** More than three batches of a rebuild hold. */
const bigInputs = 50;
const bigInput = { rawInput: { text: "x".repeat(40_000) } };

/** A thread of everything, long enough for several batches. */
async function longThread(register: Register): Promise<string> {
  const id = await threadWithTurn(register);
  register.append(id, fact({ type: "terminal_created", terminal_id: "x", command: "ls", cwd: null }));
  register.append(id, fact({ type: "terminal_output", terminal_id: "x", text: "a line of output\n" }));
  register.append(id, toolCall("big", { status: "completed", ...output("much output\n".repeat(10_000)) }));
  for (let index = 0; index < bigInputs; index++) {
    register.append(id, toolCall(`t${index}`, bigInput));
    register.append(id, toolUpdate(`t${index}`, { status: "completed" }));
  }
  register.append(
    id,
    update({ sessionUpdate: "plan", entries: [{ content: "c", priority: "low", status: "pending" }] }),
  );
  register.append(id, says("a long answer. ".repeat(8000)));
  register.append(id, fact({ type: "turn_ended", turn_id: "turn-1", stop_reason: "end_turn", model: "model-of-turn" }));
  register.append(id, fact({ type: "terminal_ended", terminal_id: "x", exit_code: 0, signal: null }));
  await register.settled(id);
  return id;
}

/** A file as a process would have left it that was killed now. */
function copyAsKilled(path: string): string {
  const copy = join(temporaryFolder(), "killed.db");
  for (const suffix of ["", "-wal"]) if (existsSync(path + suffix)) copyFileSync(path + suffix, copy + suffix);
  return copy;
}

/** Makes the file one of a version whose turns had no model, and which had a column and a table that are gone now. */
function makeOlder(path: string): void {
  using database = new DatabaseSync(path);
  database.exec(`ALTER TABLE turns DROP COLUMN model; ALTER TABLE threads ADD COLUMN mood TEXT;
    CREATE TABLE moods(id TEXT); UPDATE meta SET value = 'another hash' WHERE key = 'rows'`);
}

async function olderFile(fill: (register: Register) => Promise<void>): Promise<{ path: string; rows: unknown }> {
  const { register, path } = await temporaryRegister();
  await fill(register);
  await indexed(path);
  await register.close();
  const rows = storedRows(path);
  makeOlder(path);
  return { path, rows };
}

const progressOf = (register: Register, listen: (progress: RebuildProgress) => void | Promise<void>) =>
  new Promise<void>((resolve) => {
    register.onRebuild((progress) => (progress === null ? resolve() : void listen(progress)));
  });

describe("a file whose tables were declared otherwise", slow, () => {
  it("gets a new column, filled from the log, while it is read and written", async () => {
    let old = "";
    let live = "";
    const { path } = await olderFile(async (register) => {
      old = await longThread(register);
      live = await threadWithTurn(register);
      await register.updateThread(old, { title: "Renamed", archived: true });
    });
    const register = await openRegister({ path });
    const seen: number[] = [];
    const answers: Promise<unknown>[] = [];
    await progressOf(register, async ({ done, total }) => {
      seen.push(done / total);
      register.append(live, says(`${seen.length} `));
      answers.push(
        register.settled(live),
        expect(register.query("threads.list", { archived: true })).resolves.toMatchObject({
          rows: [{ id: old, title: "Renamed", message_count: 2 }],
        }),
      );
    });
    await Promise.all(answers);
    expect(seen.length).toBeGreaterThan(2);
    expect(seen.at(-1)).toBe(1);
    expect((await register.query("turns.list", { thread_id: old })).rows).toMatchObject([{ model: "model-of-turn" }]);
    const said = (await register.snapshot(live)).timeline.at(-1);
    expect(said).toMatchObject({ text: seen.map((_, index) => `${index + 1} `).join("") });
    expect((await register.query("search", { text: "much output", thread_id: old })).rows).not.toEqual([]);
    await register.close();
    using database = new DatabaseSync(path, { readOnly: true });
    expect(
      database.prepare("SELECT name FROM pragma_table_list WHERE name IN ('moods', 'carried_threads')").all(),
    ).toEqual([]);
    expect(database.prepare("SELECT name FROM pragma_table_info('threads') WHERE name = 'mood'").all()).toEqual([]);
    expect(isGapless(path)).toBe(true);
  });

  it("comes to the rows that it had, and begins no second rebuild", async () => {
    const { path, rows } = await olderFile(async (register) => {
      await longThread(register);
      const id = await threadWithTurn(register);
      register.append(id, says("short"));
      endTurn(register, id, "turn-1");
      await register.settled(id);
    });
    const register = await openRegister({ path });
    await register.rebuildStale();
    await register.close();
    expect(storedRows(path)).toEqual(rows);
    expect(integrity(path)).toBe("ok");
    const again = await openRegister({ path });
    await again.rebuildStale((progress) => expect.unreachable(JSON.stringify(progress)));
    await again.close();
  });

  it("completes a thread that is asked for first, and a new entry after everything before it", async () => {
    let first = "";
    const { path } = await olderFile(async (register) => {
      first = await longThread(register);
      await longThread(register);
    });
    const register = await openRegister({ path });
    const { timeline, thread } = await register.snapshot(first);
    expect(timeline.at(-1)).toMatchObject({ text_len: 120_000 });
    expect(thread).toMatchObject({ message_count: 2, tool_call_count: bigInputs + 1 });
    await register.close();

    const again = await openRegister({ path });
    // The second thread is still stale: what is added to it makes its rows first.
    const { rows } = await again.query("threads.list", {});
    const second = rows.find(({ id }) => id !== first)?.id ?? "";
    again.append(second, says("more"));
    await again.settled(second);
    expect((await again.snapshot(second)).timeline.at(-1)).toMatchObject({ text: "more" });
    await again.close();
    expect(isGapless(path)).toBe(true);
  });

  it("goes on where a process was killed, and comes to the same rows", async () => {
    const { path, rows } = await olderFile(async (register) => {
      await longThread(register);
      await longThread(register);
    });
    const register = await openRegister({ path });
    const copies: string[] = [];
    await progressOf(register, () => void copies.push(copyAsKilled(path)));
    await register.close();
    expect(copies.length).toBeGreaterThan(5);
    for (const copy of copies) {
      const resumed = await openRegister({ path: copy });
      await resumed.rebuildStale();
      await resumed.close();
      expect(storedRows(copy)).toEqual(rows);
      expect(integrity(copy)).toBe("ok");
    }
  });

  it("ends what a dead process left open, once, when the thread is rebuilt", async () => {
    const { register: killed, path } = await temporaryRegister();
    const id = await longThread(killed);
    startTurn(killed, id, "turn-2");
    await killed.settled(id);
    const copy = copyAsKilled(path);
    makeOlder(copy);
    for (let opening = 1; opening <= 2; opening++) {
      const register = await openRegister({ path: copy });
      expect(await register.getThread(id)).toMatchObject({ status: "interrupted" });
      const { rows } = await register.query("events.list", { thread_id: id, limit: 3 });
      expect(rows.map(({ kind }) => kind)).toEqual([
        "signalbox/turn_queued",
        "signalbox/turn_started",
        "signalbox/turn_interrupted",
      ]);
      await register.close();
    }
  });

  it("is rebuilt before a reader opens it, unless another process does that", async () => {
    let id = "";
    const { path, rows } = await olderFile(async (register) => {
      id = await longThread(register);
    });
    const writer = await openRegister({ path });
    const beside = await openRegisterReader({ path });
    await expect(beside.snapshot(id)).rejects.toMatchObject({ code: "busy" });
    expect((await beside.query("threads.list", {})).rows).toMatchObject([{ id }]);
    await beside.close();
    await writer.close();

    const seen: RebuildProgress[] = [];
    const reader = await openRegisterReader({ path, onProgress: (progress) => seen.push(progress) });
    expect((await reader.snapshot(id)).turns).toMatchObject([{ model: "model-of-turn" }]);
    await reader.close();
    expect(seen.length).toBeGreaterThan(1);
    expect(storedRows(path)).toEqual(rows);
  });
});

describe("a rebuild that somebody asks for", slow, () => {
  it("repairs rows that something else has broken", async () => {
    const { register, path } = await temporaryRegister();
    const id = await threadWithTurn(register);
    register.append(id, says("the truth"));
    await register.settled(id);
    await indexed(path);
    const live = storedRows(path);
    const other = new DatabaseSync(path);
    other.exec("UPDATE messages SET text = 'lies'; DELETE FROM turns; UPDATE threads SET title = 'wrong'");
    other.close();
    await register.rebuild();
    expect(storedRows(path)).toEqual(live);
  });

  it("brings back a thread whose row is gone, and none that is being deleted", async () => {
    const { register, path } = await temporaryRegister();
    const id = await threadWithTurn(register);
    const deleted = await threadWithTurn(register);
    await register.close();
    const other = new DatabaseSync(path);
    other.exec("DELETE FROM threads; UPDATE meta SET value = ''");
    other.prepare("INSERT INTO deleted_threads VALUES (?)").run(deleted);
    other.close();
    const again = await openRegister({ path });
    await again.rebuild();
    expect((await again.query("threads.list", {})).rows.map((row) => row.id)).toEqual([id]);
    await again.close();
  });

  it("lets a turn that runs go on", async () => {
    const { register } = await temporaryRegister();
    const id = await longThread(register);
    startTurn(register, id, "turn-2");
    const rebuilt = register.rebuild();
    register.append(id, says("still "));
    await register.settled(id);
    const created = await register.createThread({ agent_id: "a", cwd: "/" });
    await rebuilt;
    register.append(id, says("running"));
    await register.settled(id);
    const { timeline, thread } = await register.snapshot(id);
    expect(thread.status).toBe("running");
    expect(timeline.at(-1)).toMatchObject({ text: "still running", partial: true });
    expect(await register.getThread(created.id)).toMatchObject({ id: created.id });
  });
});
