// Disk full, a foreign lock, a broken or foreign file, a second process: each is told by a code, and nothing is lost or
// published that is not stored.
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Change } from "@signalbox/protocol";
import { describe, expect, it } from "vitest";
import { openReader, openWriter } from "./database/connection.ts";
import { migrate, schemaVersion } from "./database/migrations.ts";
import { latestVersion, migrations } from "./database/schema.ts";
import { toOpeningError } from "./database/sqlite-error.ts";
import { openRegister, openRegisterReader, prepareTables } from "./open-register.ts";
import type { RegisterError } from "./register.ts";
import { SqliteRegister } from "./sqlite-register.ts";
import { endTurn, says, threadWithTurn, toolCall, update } from "./testing/entries.ts";
import { indexed, integrity, isGapless } from "./testing/stored-rows.ts";
import { eventually, slow, temporaryFolder, temporaryRegister } from "./testing/temporary-register.ts";

/** A register whose writing connection is at hand, to make its writes fail. */
async function exposedRegister() {
  const path = join(temporaryFolder(), "register.db");
  const writer = openWriter(path);
  prepareTables(writer, path);
  const register = new SqliteRegister({ path, writer, reader: openReader(path), now: Date.now, release: () => {} });
  const troubles: (RegisterError | null)[] = [];
  const published: Change[] = [];
  register.onTrouble((trouble) => troubles.push(trouble));
  register.onChanges((changes) => published.push(...changes));
  return { path, writer, register, troubles, published };
}

describe("a full disk", slow, () => {
  it("is what opening says, also when SQLite has taken everything back by itself", () => {
    using database = new DatabaseSync(":memory:");
    // What a full disk does in the middle of a step, in words that any disk understands.
    const step = { version: latestVersion + 1, risky: false, sql: "ROLLBACK; SELECT the_true_reason" };
    expect(() => migrate(database, ":memory:", [step])).toThrow("the_true_reason");
  });

  it("at opening does not promise to go on by itself, whatever noticed it", () => {
    for (const sign of [{ errcode: 13 }, { code: "ENOSPC" }, { code: "EDQUOT" }]) {
      expect(toOpeningError(Object.assign(new Error("full"), sign), "/data/x.db")).toMatchObject({
        code: "disk_full",
        message: "The disk that holds /data/x.db is full, so it cannot be opened. Free some space and start again.",
      });
    }
    expect(toOpeningError(Object.assign(new Error("no"), { code: "EACCES" }), "/data/x.db").code).toBe("read_only");
  });

  it("is told by a code; nothing is published that is not stored, and writing goes on when there is room", async () => {
    const { path, writer, register, troubles, published } = await exposedRegister();
    const id = await threadWithTurn(register);
    const pages = Number(writer.prepare("PRAGMA page_count").get()?.page_count);
    // SQLite's own limit gives the very error that a full disk gives.
    writer.exec(`PRAGMA max_page_count = ${pages}`);
    published.length = 0;
    // The first of the window still fits; it is not stored either.
    register.append(id, says("before"));
    register.append(id, toolCall("t", { rawInput: { text: "x".repeat(60_000) } }));
    await expect(register.settled(id)).rejects.toMatchObject({ code: "disk_full" });
    expect(published).toEqual([]);
    expect(troubles).toMatchObject([{ code: "disk_full" }]);
    await expect(register.createThread({ agent_id: "a", cwd: "/" })).rejects.toMatchObject({ code: "disk_full" });
    register.append(id, says("still here"));
    expect((await register.query("events.list", { thread_id: id })).rows).toHaveLength(3);
    writer.exec("PRAGMA max_page_count = 1000000");
    await eventually(() => (troubles.at(-1) === null ? true : null));
    await register.settled(id);
    expect((await register.query("timeline.list", { thread_id: id })).rows).toMatchObject([
      { text: "go" },
      { text: "before" },
      { tool_call_id: "t" },
      { text: "still here" },
    ]);
    expect(published.flatMap((change) => ("seq" in change ? [change.seq] : []))).toEqual([4, 5, 5, 6]);
    await register.close();
    expect(isGapless(path)).toBe(true);
    expect(integrity(path)).toBe("ok");
  });

  it("refuses a fact that is to be stored now, for good; what was appended before it waits for room", async () => {
    const { writer, register, troubles } = await exposedRegister();
    const id = await threadWithTurn(register);
    writer.exec(`PRAGMA max_page_count = ${Number(writer.prepare("PRAGMA page_count").get()?.page_count)}`);
    register.append(id, toolCall("t", { rawInput: { text: "x".repeat(60_000) } }));
    const queued = { type: "turn_queued", turn_id: "turn-2", prompt_id: "p", prompt: [] } as const;
    await expect(register.store(id, queued)).rejects.toMatchObject({ code: "disk_full" });
    writer.exec("PRAGMA max_page_count = 1000000");
    await eventually(() => (troubles.at(-1) === null ? true : null));
    expect((await register.query("tool_calls.list", { thread_id: id })).rows).toHaveLength(1);
    expect((await register.query("turns.list", { thread_id: id })).rows.map(({ turn_id }) => turn_id)).toEqual([
      "turn-1",
    ]);
    await register.store(id, queued);
    expect((await register.query("turns.list", { thread_id: id })).rows).toHaveLength(2);
    await register.close();
  });

  it("does not fill the memory: an agent that goes on is refused in the end, and the log says how much is missing", async () => {
    const { writer, register, troubles } = await exposedRegister();
    const id = await threadWithTurn(register);
    writer.exec(`PRAGMA max_page_count = ${Number(writer.prepare("PRAGMA page_count").get()?.page_count)}`);
    const before = process.memoryUsage().rss;
    // Four times what may wait; every piece is a string of its own.
    for (let index = 0; index < 2000; index++)
      register.append(id, toolCall(`t${index}`, { rawInput: `${index}${"x".repeat(64_000)}` }));
    endTurn(register, id, "turn-1");
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 * 1024);
    await expect(register.settled(id)).rejects.toMatchObject({ code: "disk_full" });
    writer.exec("PRAGMA max_page_count = 1000000");
    await eventually(() => (troubles.at(-1) === null ? true : null));
    const lost = await eventually(async () => {
      const { rows } = await register.query("events.list", { thread_id: id, limit: 5 });
      return rows.find(({ kind }) => kind === "signalbox/entries_lost") ?? null;
    });
    const { rows } = await register.query("threads.list", {});
    const kept = Number(rows[0]?.tool_call_count);
    expect(lost).toMatchObject({ payload: { count: 2000 - kept } });
    expect(kept).toBeGreaterThan(300);
    // What the host stated was kept beyond that.
    expect(rows[0]).toMatchObject({ status: "idle" });
    await register.close();
  });
});

describe("another program that holds the database", slow, () => {
  it("delays writing, which goes on when it lets go", async () => {
    const { register, path } = await temporaryRegister();
    const troubles: (RegisterError | null)[] = [];
    register.onTrouble((trouble) => troubles.push(trouble));
    const id = await threadWithTurn(register);
    const other = new DatabaseSync(path);
    other.exec("BEGIN IMMEDIATE");
    register.append(id, says("timeoutMs"));
    await expect(register.settled(id)).rejects.toMatchObject({ code: "busy" });
    expect((await register.snapshot(id)).timeline).toHaveLength(1);
    other.exec("ROLLBACK");
    other.close();
    await eventually(() => (troubles.at(-1) === null ? true : null));
    await register.settled(id);
    expect((await register.snapshot(id)).timeline.at(-1)).toMatchObject({ text: "timeoutMs" });
  });

  it("that is a second Signalbox is refused, with the holder's pid, until the first one ends, however it ends", async () => {
    const { register, path } = await temporaryRegister();
    await expect(openRegister({ path })).rejects.toMatchObject({
      code: "in_use",
      message: expect.stringContaining(`process ${process.pid}`),
    });
    await register.close();
    const script = `
      import { openRegister } from ${JSON.stringify(join(import.meta.dirname, "open-register.ts"))};
      await openRegister({ path: ${JSON.stringify(path)} });
      console.log("open");
      setInterval(() => {}, 1000);`;
    const child = spawn(process.execPath, ["--no-warnings", "--input-type=module", "-e", script], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    await once(child.stdout, "data");
    await expect(openRegister({ path })).rejects.toMatchObject({
      code: "in_use",
      message: expect.stringContaining(`process ${child.pid}`),
    });
    child.kill("SIGKILL");
    await once(child, "close");
    await (await openRegister({ path })).close();
  });

  it("can be read beside it, without a lock and without a write", async () => {
    const { register, path } = await temporaryRegister();
    const id = await threadWithTurn(register);
    const reader = await openRegisterReader({ path });
    register.append(id, says("seen from outside"));
    await register.settled(id);
    expect((await reader.snapshot(id)).timeline.at(-1)).toMatchObject({ text: "seen from outside" });
    await indexed(path);
    expect((await reader.query("search", { text: "go" })).rows).toHaveLength(1);
    await reader.close();
    await expect(reader.getThread(id)).rejects.toMatchObject({ code: "closed" });
  });
});

describe("a file that is not an intact register", slow, () => {
  const contents = async (path: string) => readFileSync(path);

  it("because it is something else is refused and left as it is", async () => {
    const folder = temporaryFolder();
    const text = join(folder, "notes.txt");
    writeFileSync(text, "These are my notes, not a database.\n".repeat(100));
    const foreign = join(folder, "foreign.db");
    const database = new DatabaseSync(foreign);
    database.exec("CREATE TABLE recipes(name)");
    database.close();
    for (const path of [text, foreign]) {
      const before = await contents(path);
      await expect(openRegister({ path })).rejects.toMatchObject({ code: "not_a_register" });
      await expect(openRegisterReader({ path })).rejects.toMatchObject({ code: "not_a_register" });
      expect(await contents(path)).toEqual(before);
    }
  });

  it("because it is damaged is refused, says how to restore, and is left as it is", async () => {
    const { register, path } = await temporaryRegister();
    const id = await threadWithTurn(register);
    for (let index = 0; index < 200; index++)
      register.append(id, toolCall(`t${index}`, { rawInput: "x".repeat(5000) }));
    await register.close();
    const overwritten = `${path}.overwritten`;
    copyFileSync(path, overwritten);
    const bytes = readFileSync(overwritten);
    bytes.fill(0xa5, bytes.length / 2, bytes.length / 2 + 100_000);
    writeFileSync(overwritten, bytes);
    const truncated = `${path}.truncated`;
    copyFileSync(path, truncated);
    truncateSync(truncated, Math.floor(statSync(path).size / 2));
    for (const damagedPath of [overwritten, truncated]) {
      const before = await contents(damagedPath);
      await expect(openRegister({ path: damagedPath })).rejects.toMatchObject({
        code: "damaged",
        message: expect.stringMatching(/Nothing was changed.*recover/),
      });
      expect(await contents(damagedPath)).toEqual(before);
    }
  });

  it("because a newer Signalbox wrote it is refused", async () => {
    const { register, path } = await temporaryRegister();
    await register.close();
    const database = new DatabaseSync(path);
    database.exec("PRAGMA user_version = 999");
    database.close();
    await expect(openRegister({ path })).rejects.toMatchObject({ code: "newer_version" });
    await expect(openRegisterReader({ path })).rejects.toMatchObject({ code: "newer_version" });
  });

  it("because it is not there yet is made, but not for reading only", async () => {
    const path = join(temporaryFolder(), "deep/er/register.db");
    await expect(openRegisterReader({ path })).rejects.toMatchObject({ code: "not_found" });
    await (await openRegister({ path })).close();
    expect(existsSync(path)).toBe(true);
  });
});

describe("the files of a register", slow, () => {
  const modes = (folder: string) =>
    Object.fromEntries(
      readdirSync(folder).map((name) => [name, (statSync(join(folder, name)).mode & 0o777).toString(8)]),
    );

  it("are the owner's alone, whatever the umask and the folder", async () => {
    const folder = temporaryFolder();
    chmodSync(folder, 0o755);
    const before = process.umask(0);
    try {
      const register = await openRegister({ path: join(folder, "register.db") });
      await threadWithTurn(register);
      expect(modes(folder)).toEqual({
        "register.db": "600",
        "register.db-shm": "600",
        "register.db-wal": "600",
        "register.db.lock": "600",
      });
      await register.close();
    } finally {
      process.umask(before);
    }
  });

  it("become the owner's alone when they were not, and so are copies", async () => {
    const { register, path } = await temporaryRegister();
    await register.close();
    chmodSync(path, 0o644);
    const database = openWriter(path);
    const risky = { version: latestVersion + 1, risky: true, sql: "SELECT 1" };
    const copy = migrate(database, path, [...migrations, risky]);
    database.close();
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(copy ?? "").mode & 0o777).toBe(0o600);
  });

  it("cannot be a folder", async () => {
    const path = join(temporaryFolder(), "register.db");
    mkdirSync(path);
    await expect(openRegister({ path })).rejects.toMatchObject({ code: "not_a_register" });
  });
});

describe("a newer schema", slow, () => {
  const now = latestVersion;
  const add = { version: now + 1, risky: false, sql: "ALTER TABLE acp_events ADD COLUMN color TEXT" };
  const drop = { version: now + 2, risky: true, sql: "ALTER TABLE acp_events DROP COLUMN color" };

  it("comes step by step and keeps the data; before a risky step a copy is made", async () => {
    const { register, path } = await temporaryRegister();
    const id = await threadWithTurn(register);
    register.append(id, update({ sessionUpdate: "plan", entries: [] }));
    await register.close();
    const database = openWriter(path);
    expect(migrate(database, path, [...migrations, add])).toBeNull();
    expect(schemaVersion(database)).toBe(now + 1);
    const copy = migrate(database, path, [...migrations, add, drop]);
    expect(schemaVersion(database)).toBe(now + 2);
    expect(database.prepare("SELECT DISTINCT thread_id FROM acp_events").all()).toEqual([{ thread_id: id }]);
    database.close();
    const before = new DatabaseSync(copy ?? "", { readOnly: true });
    expect(schemaVersion(before)).toBe(now + 1);
    expect(before.prepare("SELECT DISTINCT thread_id, color FROM acp_events").all()).toEqual([
      { thread_id: id, color: null },
    ]);
    before.close();
  });

  it("is needed for a register from before the oldest known version, which stays as it is", async () => {
    const { register, path } = await temporaryRegister();
    await register.close();
    const database = openWriter(path);
    database.exec("PRAGMA user_version = 12");
    database.close();
    await expect(openRegister({ path })).rejects.toMatchObject({ code: "older_version" });
    await expect(openRegisterReader({ path })).rejects.toMatchObject({ code: "older_version" });
  });

  it("that fails leaves the file as it was", async () => {
    const { register, path } = await temporaryRegister();
    await register.close();
    const database = openWriter(path);
    const broken = { ...add, sql: "ALTER TABLE acp_events ADD COLUMN color TEXT; CREATE NONSENSE" };
    expect(() => migrate(database, path, [...migrations, broken])).toThrow(/syntax/);
    expect(schemaVersion(database)).toBe(now);
    expect(
      database.prepare("SELECT count(*) AS n FROM pragma_table_info('acp_events') WHERE name = 'color'").get(),
    ).toEqual({ n: 0 });
    database.close();
  });
});
