import { statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import type { Register } from "../register.ts";
import { fact, output, says, threadWithTurn, toolCall } from "../testing/entries.ts";
import { indexed, integrity } from "../testing/stored-rows.ts";
import { eventually, slow, temporaryRegister } from "../testing/temporary-register.ts";

const big = (seed: string) => `${seed} output line\n`.repeat(10_000);

function counts(path: string): Record<string, unknown> {
  const database = new DatabaseSync(path, { readOnly: true });
  const tables = [
    "threads",
    "acp_events",
    "messages",
    "tool_calls",
    "turns",
    "terminals",
    "blobs",
    "blob_chunks",
    "blob_uses",
    "search_items",
  ];
  const found = tables.map((table) => [table, database.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.n]);
  database.close();
  return Object.fromEntries(found);
}

describe("deleting a thread", slow, () => {
  it("frees its rows, its index entries and the blobs that no other thread uses, and nothing of others", async () => {
    const { register, path, published } = await temporaryRegister();
    const kept = await threadWithTurn(register);
    register.append(kept, toolCall("t", { status: "completed", ...output(big("shared")) }));
    register.append(kept, says("kept words"));
    await register.settled(kept);
    await indexed(path);
    const before = counts(path);
    const doomed = await threadWithTurn(register);
    register.append(doomed, toolCall("t", { status: "completed", ...output(big("shared")) }));
    register.append(doomed, toolCall("u", { status: "completed", ...output(big("own")) }));
    register.append(doomed, toolCall("open", output(big("still growing"))));
    register.append(doomed, says(big("answer")));
    register.append(doomed, fact({ type: "terminal_output", terminal_id: "x", text: "doomed words" }));
    for (let index = 0; index < 5000; index++) register.append(doomed, toolCall(`many-${index}`));
    await register.settled(doomed);
    register.append(doomed, says("never stored"));
    await register.deleteThread(doomed);
    await expect(register.snapshot(doomed)).rejects.toMatchObject({ code: "not_found" });
    expect(published.at(-1)).toEqual({ type: "tinyvex.update", stream: "threads", deleted: doomed });
    expect(counts(path)).toEqual(before);
    expect((await register.query("search", { text: "doomed" })).rows).toEqual([]);
    expect((await register.query("search", { text: "shared" })).rows).toHaveLength(1);
    const { bytes } = await register.readBlob(await blobOf(register, kept));
    expect(Buffer.from(bytes).toString()).toBe(big("shared"));
    await register.close();
    expect(integrity(path)).toBe("ok");
  });

  it("gives the space back with vacuum; an archived thread stays", async () => {
    const { register, path } = await temporaryRegister();
    const doomed = await threadWithTurn(register);
    const archived = await threadWithTurn(register);
    for (let index = 0; index < 30; index++)
      register.append(doomed, toolCall(`t${index}`, { status: "completed", ...output(big(`${index}`)) }));
    register.append(archived, says("remember me"));
    await register.settled(doomed);
    await register.updateThread(archived, { archived: true });
    const sizes = await register.sizes();
    expect(sizes.threads[0]).toMatchObject({ thread_id: doomed, bytes: expect.any(Number) });
    expect(sizes.threads[0]?.bytes).toBeGreaterThan(3_000_000);
    await register.deleteThread(doomed);
    await register.vacuum();
    const smaller = await register.sizes();
    expect(smaller.file).toBeLessThan(sizes.file - 3_000_000);
    expect(smaller.threads.map(({ thread_id: id }) => id)).toEqual([archived]);
    expect(statSync(path).size).toBe(smaller.file);
    expect((await register.snapshot(archived)).timeline.at(-1)).toMatchObject({ text: "remember me" });
  });

  it("that was interrupted is finished at the next opening", async () => {
    const temporary = await temporaryRegister();
    const doomed = await threadWithTurn(temporary.register);
    for (let index = 0; index < 100; index++) temporary.register.append(doomed, toolCall(`t${index}`));
    await temporary.register.close();
    const database = new DatabaseSync(temporary.path);
    database.exec("INSERT INTO deleted_threads SELECT id FROM threads; DELETE FROM threads");
    database.close();
    const register = await temporary.reopen();
    expect((await register.query("threads.list", {})).rows).toEqual([]);
    await register.vacuum();
    expect(counts(temporary.path)).toMatchObject({ threads: 0, acp_events: 0, tool_calls: 0 });
  });
});

describe("a text that is kept once and used twice", slow, () => {
  const ran = (register: Register, threadId: string, terminal_id: string) => {
    register.append(threadId, fact({ type: "terminal_created", terminal_id, command: "yes", cwd: null }));
    register.append(threadId, fact({ type: "terminal_output", terminal_id, text: big("same") }));
    register.append(threadId, fact({ type: "terminal_ended", terminal_id, exit_code: 0, signal: null }));
  };
  const nothing = { threads: 0, acp_events: 0, blobs: 0, blob_chunks: 0, blob_uses: 0, search_items: 0 };

  it("goes with the last thread that uses it, whichever is deleted first", async () => {
    for (const order of [
      [0, 1, 2],
      [2, 1, 0],
      [1, 0, 2],
    ]) {
      const { register, path } = await temporaryRegister();
      const threads: string[] = [];
      for (let index = 0; index < 3; index++) {
        const id = await threadWithTurn(register);
        ran(register, id, "first");
        ran(register, id, "second");
        register.append(id, toolCall("t", { status: "completed", ...output(big("same")) }));
        await register.settled(id);
        threads.push(id);
      }
      for (const [deleted, index] of order.entries()) {
        await register.deleteThread(threads[index] ?? "");
        const left = order.slice(deleted + 1).map((each) => threads[each] ?? "");
        for (const id of left) {
          const { rows } = await register.query("terminals.list", { thread_id: id });
          for (const { output_ref: ref } of rows) {
            const { bytes } = await register.readBlob(ref?.hash ?? "");
            expect(Buffer.from(bytes).toString()).toBe(big("same"));
          }
        }
        await register.rebuild();
        expect((await register.query("threads.list", {})).rows).toHaveLength(left.length);
      }
      expect(counts(path)).toMatchObject(nothing);
      await register.close();
      expect(integrity(path)).toBe("ok");
    }
  });

  it("goes with its thread at the next opening, where a deletion was interrupted", async () => {
    const temporary = await temporaryRegister();
    const id = await threadWithTurn(temporary.register);
    ran(temporary.register, id, "first");
    ran(temporary.register, id, "second");
    await temporary.register.close();
    const database = new DatabaseSync(temporary.path);
    database.exec("INSERT INTO deleted_threads SELECT id FROM threads; DELETE FROM threads");
    database.close();
    await temporary.reopen();
    await eventually(() => (counts(temporary.path).acp_events === 0 ? true : null));
    await eventually(() => (counts(temporary.path).blobs === 0 ? true : null));
    expect(counts(temporary.path)).toMatchObject(nothing);
  });

  it("reports a deletion that cannot be finished at opening", async () => {
    const temporary = await temporaryRegister();
    await threadWithTurn(temporary.register);
    await temporary.register.close();
    const database = new DatabaseSync(temporary.path);
    database.exec(`INSERT INTO deleted_threads SELECT id FROM threads; DELETE FROM threads;
      CREATE TRIGGER refuse BEFORE DELETE ON deleted_threads BEGIN SELECT RAISE(ABORT, 'not now'); END`);
    database.close();
    const register = await temporary.reopen();
    const trouble = await new Promise((resolve) => register.onTrouble(resolve));
    expect(trouble).toMatchObject({ message: expect.stringContaining("not now") });
  });
});

async function blobOf(
  register: Awaited<ReturnType<typeof temporaryRegister>>["register"],
  threadId: string,
): Promise<string> {
  const { rows } = await register.query("tool_calls.list", { thread_id: threadId });
  return JSON.stringify(rows[0]).match(/"hash":"([0-9a-f]{64})"/)?.[1] ?? "";
}
