import { readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import { openRegister } from "../open-register.ts";
import type { Register } from "../register.ts";
import { endTurn, fact, output, says, threadWithTurn, toolCall } from "../testing/entries.ts";
import { indexed, integrity, isGapless, storedRows } from "../testing/stored-rows.ts";
import { temporaryRegister } from "../testing/temporary-register.ts";
import { findThreadSecrets, redactThreads } from "./redact-threads.ts";

const key = "sk-Qx7vPz3mNk8wRt5yLc";
const password = "Vw93kfTq77Lm";
const pieces = ["gh", "p_Zx81mq", "Yt55KdPl0", "RrQqUu"];
/** What must be in no byte of the file, in any case: the index has its words in small letters. */
const secrets = ["qx7vpz3mnk8wrt5ylc", "vw93kftq77lm", "zx81mq", "yt55kdpl0", "rrqquu", "qq2zz9secretid"];

async function filled(register: Register): Promise<string> {
  const id = await threadWithTurn(register);
  await register.updateThread(id, { title: `Use ${key}` });
  register.append(id, says(`Here: ${key}. Numbers stay: `));
  register.append(id, toolCall("t", { rawInput: { command: `login --password ${password}`, big: 12345678901 } }));
  register.append(id, toolCall("t", output(`${"line\n".repeat(300)}password: ${password}\n`)));
  register.append(
    id,
    toolCall("t", {
      status: "completed",
      rawInput: { env: { api_key: "Qq2ZZ9secretid" } },
      ...output(`${"line\n".repeat(30_000)}${key}\n`),
    }),
  );
  register.append(id, fact({ type: "terminal_created", terminal_id: "x", command: "cat .env", cwd: null }));
  for (const text of pieces) {
    register.append(id, fact({ type: "terminal_output", terminal_id: "x", text }));
    await register.settled(id);
  }
  register.append(id, fact({ type: "terminal_output", terminal_id: "x", text: "\nthe end\n" }));
  register.append(id, fact({ type: "terminal_ended", terminal_id: "x", exit_code: 0, signal: null }));
  register.append(id, says(`The password is ${password.slice(0, 5)}`));
  await register.settled(id);
  register.append(id, says(`${password.slice(5)}, and that was findable.`));
  endTurn(register, id, "turn-1");
  await register.settled(id);
  return id;
}

it("names every item that has a secret, and shows no more than its first letters", async () => {
  const { register } = await temporaryRegister();
  const id = await filled(register);
  const found = await findThreadSecrets(register, id);
  expect(found.map(({ item, item_id, kind, preview }) => [item, item_id, kind, preview])).toEqual([
    ["title", null, "well_known", "sk-Q"],
    ["message", expect.stringMatching(/^m\d+$/), "well_known", "sk-Q"],
    ["tool_call", "t", "named", "Vw9"],
    ["tool_call", "t", "named", "Qq2"],
    ["tool_call", "t", "well_known", "sk-Q"],
    ["terminal", "x", "well_known", "ghp_"],
    ["message", expect.stringMatching(/^m\d+$/), "repeated", "Vw9"],
  ]);
  const { rows } = await register.query("messages.list", { thread_id: id });
  const ids = new Set(rows.map((row) => row.item_id));
  for (const { item, item_id } of found) if (item === "message") expect(ids).toContain(item_id);
});

it("[R10] takes them out of every row, event and blob, of the index and of the file, and leaves the rest as it was", async () => {
  const { register, path } = await temporaryRegister();
  const before = await register.createThread({ agent_id: "fake", cwd: "/work", title: "before" });
  register.append(before.id, says("an earlier findable thing"));
  const id = await filled(register);
  const after = await register.createThread({ agent_id: "fake", cwd: "/work", title: "after" });
  register.append(after.id, says("a later findable thing"));
  await register.settled(after.id);
  await indexed(path);
  const events = async () =>
    (await register.query("events.list", { thread_id: id, limit: 1000 })).rows.map(({ seq, ts, kind }) => [
      seq,
      ts,
      kind,
    ]);
  const found = async () => (await register.query("search", { text: "findable" })).rows.map((row) => row.thread_id);
  const order = () => {
    using database = new DatabaseSync(path, { readOnly: true });
    return database.prepare("SELECT thread_id, seq FROM acp_events ORDER BY id").all();
  };
  const was = { events: await events(), found: await found(), order: order() };
  const changed: string[] = [];
  const threads = [before.id, id, after.id];
  expect(
    await redactThreads(register, threads, (threadId, replace) => replace().then(() => void changed.push(threadId))),
  ).toEqual({ redacted: 7, threads: 1 });
  // Before anything else is written.
  for (const file of [path, `${path}-wal`]) {
    const bytes = readFileSync(file, { flag: "a+" }).toString("latin1").toLowerCase();
    expect(secrets.filter((secret) => bytes.includes(secret))).toEqual([]);
  }
  expect(changed).toEqual([id]);
  expect({ events: await events(), found: await found(), order: order() }).toEqual(was);
  expect(await findThreadSecrets(register, id)).toEqual([]);
  expect(await redactThreads(register, threads)).toEqual({ redacted: 0, threads: 0 });
  for (const words of ["Qx7vPz3mNk8wRt5yLc", password, "Yt55KdPl0"])
    expect((await register.query("search", { text: words })).rows).toEqual([]);
  const { timeline, thread } = await register.snapshot(id);
  expect(thread.title).toBe("Use ***");
  expect(JSON.stringify(timeline)).toContain("Here: ***. Numbers stay: ");
  const log = await register.readLog(id, 0, { max_events: 1000, max_length: Number.MAX_SAFE_INTEGER });
  expect(log.map(({ payload }) => payload).join()).toContain('{"command":"login --password ***","big":12345678901}');
  // It goes on, and a rebuild gives the same rows.
  register.append(id, says("and on"));
  await register.settled(id);
  await register.close();
  const again = await openRegister({ path });
  await again.rebuild();
  await indexed(path);
  const rebuilt = storedRows(path);
  await again.rebuild();
  expect(storedRows(path)).toEqual(rebuilt);
  await again.close();
  expect([integrity(path), isGapless(path)]).toEqual(["ok", true]);
});
