// Opens a register that schema version 13 wrote, as a process that was killed left it, and checks that nothing of it is lost.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { brotliDecompressSync } from "node:zlib";
import type { Json, RegisterQueryName } from "@signalbox/protocol";
import { expect, it } from "vitest";
import { openRegister } from "./open-register.ts";
import type { Register } from "./register.ts";
import { integrity, isGapless } from "./testing/stored-rows.ts";
import { slow, temporaryFolder } from "./testing/temporary-register.ts";

interface Expected {
  /** Ids of threads: with everything in it, archived, whose last turn failed, in the middle of a turn. */
  readonly all: string;
  readonly archived: string;
  readonly failed: string;
  readonly open: string;
  readonly threads: readonly { readonly id: string }[];
  /** What version 13 answered to each query, by thread. */
  readonly answers: Readonly<Record<string, Readonly<Record<string, readonly Json[]>>>>;
}

const expected: Expected = JSON.parse(testData("register-v13.json.br").toString("utf8"));
const ended = [expected.all, expected.archived, expected.failed];

it("keeps every event of a register of version 13", slow, async () => {
  const { register, path } = await oldRegister();
  for (const id of [...ended, expected.open]) {
    const before = expected.answers[id]?.["events.list"] ?? [];
    const events = await answer(register, "events.list", id);
    expect(events.slice(0, before.length)).toEqual(before);
    // Only what was open when the process died has ended since.
    if (id !== expected.open) expect(events).toHaveLength(before.length);
  }
  await register.close();
  expect(isGapless(path)).toBe(true);
  expect(integrity(path)).toBe("ok");
});

it("makes the rows of a register of version 13 again", slow, async () => {
  const { register } = await oldRegister();
  await register.rebuildStale();
  for (const id of ended) {
    for (const [name, rows] of Object.entries(expected.answers[id] ?? {})) {
      expect(await answer(register, name as RegisterQueryName, id), name).toMatchObject(rows.map(withoutOldColumns));
    }
    // Version 13 also counted commands that the host ran.
    const { tool_call_count: _count, ...thread } = Object(expected.threads.find((row) => row.id === id));
    expect(await register.getThread(id)).toMatchObject(thread);
  }
  expect(await register.getThread(expected.all)).toMatchObject({ title: "Renamed by hand", pinned: true });
  expect((await register.query("threads.list", { archived: true })).rows).toMatchObject([{ id: expected.archived }]);
  expect((await register.query("search", { text: "thinking tables", kind: "reason" })).rows).toMatchObject([
    { kind: "reason" },
  ]);
  expect((await register.query("search", { text: "19999" })).rows).toMatchObject([{ kind: "terminal" }]);
  await register.close();
});

it("ends what was open in a register of version 13", slow, async () => {
  const { register } = await oldRegister();
  const { thread, turns, permissions, timeline } = await register.snapshot(expected.open);
  expect(thread.status).toBe("interrupted");
  expect(turns.map(({ status }) => status)).toEqual(["interrupted", "queued"]);
  expect(permissions).toMatchObject([{ status: "cancelled" }]);
  expect(timeline).toMatchObject([{ role: "user" }, { text: "I am still talk" }, { status: "failed" }]);
  await register.close();
});

it("refuses one whose events have a form that was never released, and changes nothing", slow, async () => {
  const path = oldFile();
  const database = new DatabaseSync(path);
  database.exec(`UPDATE acp_events SET refs = '[[3,1,0,9,"string"]]' WHERE id = 7`);
  database.close();
  await expect(openRegister({ path })).rejects.toThrow("can no longer be read");
  using unchanged = new DatabaseSync(path, { readOnly: true });
  expect(unchanged.prepare("PRAGMA user_version").get()).toEqual({ user_version: 13 });
});

/** Columns of version 13 that no longer exist. */
function withoutOldColumns(row: Json): object {
  const { merged_into: _merged, repeats: _repeats, ...kept } = Object(row);
  return kept;
}

async function answer(register: Register, name: RegisterQueryName, thread_id: string): Promise<readonly unknown[]> {
  const { rows } = await register.query(name, { thread_id, limit: 1000, full: true, text: "", hash: "" });
  return rows;
}

function oldFile(): string {
  const path = join(temporaryFolder(), "signalbox.db");
  writeFileSync(path, testData("register-v13.db.br"));
  return path;
}

async function oldRegister(): Promise<{ readonly register: Register; readonly path: string }> {
  const path = oldFile();
  return { path, register: await openRegister({ path }) };
}

function testData(name: string): Buffer {
  return brotliDecompressSync(readFileSync(new URL(`../test-data/${name}`, import.meta.url)));
}
