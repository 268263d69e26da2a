// What keeps the register as fast with a million items as with a thousand: every statement finds its rows by an index.
import { DatabaseSync } from "node:sqlite";
import { afterEach, expect, it, vi } from "vitest";
import { endTurn, output, says, threadWithTurn, toolCall } from "../testing/entries.ts";
import { temporaryRegister } from "../testing/temporary-register.ts";

afterEach(() => vi.restoreAllMocks());

/** Never long: what waits to be indexed, rebuilt or deleted, and the results of inner queries. */
const shortTables = [
  "search_queue",
  "search_slices",
  "stale_threads",
  "deleted_threads",
  "sqlite_schema",
  "kinds",
  "used",
];

/** The sizes of all threads, and how far the log of each goes. */
const aboutEveryThread = /^SELECT id, (bytes \+|cwd, updated_at, \(SELECT max\(seq\))/;

it("[R9] no statement reads a whole table", async () => {
  const prepare = vi.spyOn(DatabaseSync.prototype, "prepare");
  const temporary = await temporaryRegister();
  const { register, path } = temporary;
  const threadId = await threadWithTurn(register);
  register.append(threadId, says("hello"));
  register.append(threadId, toolCall("a", { ...output("x".repeat(200_000)), status: "completed" }));
  endTurn(register, threadId, "turn-1");
  await register.query("timeline.list", { thread_id: threadId });
  await register.query("search", { text: "hello" });
  await register.query("stats", {});
  await register.query("stats", { group_by: ["name"] });
  await register.query("stats", { group_by: ["path"] });
  await register.sizes();
  await temporary.reopen();
  const statements = new Set(prepare.mock.calls.map(([sql]) => sql));
  prepare.mockRestore();

  using database = new DatabaseSync(path, { readOnly: true });
  const whole = [...statements]
    .filter((sql) => /\b(FROM|UPDATE|INTO) (?!holder)\w+/.test(sql) && !aboutEveryThread.test(sql))
    .flatMap((sql) =>
      database
        .prepare(`EXPLAIN QUERY PLAN ${sql}`)
        .all()
        .map(({ detail }) => /^SCAN (\w+)$/.exec(String(detail))?.[1])
        .filter((table) => table !== undefined && !shortTables.includes(table))
        .map((table) => ({ table, sql })),
    );
  expect(statements.size).toBeGreaterThan(100);
  expect(whole).toEqual([]);
});

it("[R9] finds the turn of a prompt by the prompt's id, however many turns the thread has", async () => {
  const prepare = vi.spyOn(DatabaseSync.prototype, "prepare");
  const { register, path } = await temporaryRegister();
  const thread_id = await threadWithTurn(register);
  await register.query("turns.list", { thread_id, prompt_id: "p" });
  const statements = prepare.mock.calls
    .map(([sql]) => sql)
    .filter((sql) => /SELECT .* FROM turns .*\bprompt_id = /s.test(sql));
  prepare.mockRestore();
  expect(statements).not.toEqual([]);
  using database = new DatabaseSync(path, { readOnly: true });
  for (const sql of statements)
    expect(JSON.stringify(database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all())).toContain("turns_by_prompt");
});
