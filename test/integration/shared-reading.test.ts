// Tests that every machine shows the threads of all machines, live, and also of those that are off.
import { initShared } from "@signalbox/many-machines/database";
import { formatShownQuestion, type PermissionRow, type ServerMessage } from "@signalbox/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { computeDigest } from "../../packages/host/src/permissions/require-shown.ts";
import { parseAddress } from "../../packages/many-machines/src/database/address.ts";
import { pendingSql } from "../../packages/many-machines/src/database/commands.ts";
import * as queries from "../../packages/many-machines/src/database/reading-queries.ts";
import { changedSql } from "../../packages/many-machines/src/database/remote-watch.ts";
import { SharedReader } from "../../packages/many-machines/src/database/shared-reader.ts";
import { removalSql } from "../../packages/many-machines/src/database/thread-removal.ts";
import { endTurn, fact, startTurn } from "../../packages/tinyvex/src/testing/entries.ts";
import { askPermission } from "../support/fake-agent/script.ts";
import { FakeHost, question, run, said, submit, turnEnd, viewOf } from "../support/fake-host.ts";
import { runProgram, TemporaryFolder } from "../support/host-process.ts";
import { InterruptibleProxy } from "../support/interruptible-proxy.ts";
import type { TestScreen } from "../support/screen.ts";
import { sharedPostgres } from "../support/shared-postgres.ts";
import { localLog, SharingMachine, sharedLog } from "../support/sharing-machine.ts";

const postgres = await sharedPostgres();

async function rows(
  screen: TestScreen,
  name:
    | "threads.list"
    | "machines.list"
    | "search"
    | "stats"
    | "timeline.list"
    | "blob.get"
    | "events.list"
    | "questions.list",
  args: object,
) {
  const { rows: found } = await screen.query(name, args);
  return found as readonly Record<string, unknown>[];
}

const digestOf = (asked: PermissionRow) => computeDigest(formatShownQuestion(asked));

const isRow = (message: ServerMessage, id: string) =>
  message.type === "tinyvex.update" && message.stream === "threads" && "row" in message && message.row.id === id;

describe("two hosts", () => {
  let url: string;
  let proxy: InterruptibleProxy;
  let desktop: FakeHost;
  let laptop: FakeHost;
  beforeAll(async () => {
    url = await postgres.database();
    proxy = await InterruptibleProxy.to(postgres.port);
    const start = (address: string, machine: string) =>
      FakeHost.start({
        env: { SIGNALBOX_SHARED_KEY: "a key that both machines have" },
        config: { shared: { url: address, machine, control: "signed" } },
      });
    const through = url.replace(`:${postgres.port}/`, `:${proxy.port}/`);
    [desktop, laptop] = await Promise.all([start(url, "desktop"), start(through, "laptop")]);
  });
  afterAll(async () => {
    await Promise.all([desktop[Symbol.asyncDispose](), laptop[Symbol.asyncDispose]()]);
    await proxy[Symbol.asyncDispose]();
  });

  it("prompt, answer, cancel and start threads on each other", async () => {
    const here = await laptop.screen();
    const there = await desktop.screen();
    const create = { control: "session.create", agent_id: "fake", cwd: desktop.project, machine: "desktop" } as const;
    let created = await here.request(create);
    // Until each has seen the other.
    await expect
      .poll(async () => (created.type === "tinyvex.ok" ? created : (created = await here.request(create))).type)
      .toBe("tinyvex.ok");
    const id = "thread_id" in created ? String(created.thread_id) : "";
    await here.request({ control: "tvx.subscribe", stream: "thread", thread_id: id });
    await there.request({ control: "tvx.subscribe", stream: "thread", thread_id: id });
    // The same words as on a thread of its own.
    await run(here, id, { say: "hello from afar" });
    await expect.poll(() => said(there, id)).toBe("hello from afar");
    const turn = await submit(here, id, askPermission("t", { kind: "edit", title: "Edit" }), { wait: 60_000 });
    const asked = await question(here, id);
    const { permission_id } = asked;
    await expect
      .poll(() => rows(here, "questions.list", {}))
      .toEqual([expect.objectContaining({ thread_id: id, permission_id, machine: "desktop" })]);
    const answer = { control: "permission.respond", thread_id: id, permission_id, option_id: "yes" } as const;
    expect(await here.request({ ...answer, remember: "always" })).toMatchObject({ code: "unauthorized" });
    // A yes says which question was shown.
    expect(await here.request(answer)).toMatchObject({
      code: "bad_request",
      message: expect.stringContaining("must carry a digest"),
    });
    expect(await here.request({ ...answer, shown: { [permission_id]: digestOf(asked) } })).toMatchObject({
      type: "tinyvex.ok",
    });
    expect(await here.request({ control: "run.cancel", thread_id: id })).toMatchObject({ type: "tinyvex.ok" });
    expect(await turnEnd(there, turn)).toMatchObject({ stop_reason: "cancelled" });
    expect(await here.request({ control: "session.delete", thread_id: id })).toMatchObject({ code: "unauthorized" });
    // What it changed on the disk is known only there.
    const changes = { control: "tvx.query", name: "changes.list", args: { thread_id: id } } as const;
    expect(await here.request(changes)).toMatchObject({
      code: "unavailable",
      message: "This thread is on the machine desktop. Its changes on disk can be seen only there.",
    });
    await expect.poll(() => rows(here, "questions.list", {})).toEqual([]);
    const log =
      "SELECT payload::json ->> 'machine' AS sender, payload::json ->> 'control' AS control FROM signalbox.events WHERE kind = 'signalbox/command_received' ORDER BY seq";
    await expect.poll(() => postgres.run(url, log)).toContainEqual({ sender: "laptop", control: "run.cancel" });
  });

  it("give no yes to a question that somebody changed in the database", async () => {
    const there = await desktop.screen();
    const id = await desktop.thread(there);
    const turn = await submit(
      there,
      id,
      askPermission("t", { kind: "execute", rawInput: { command: "touch REALLY" } }),
    );
    await question(there, id);
    const asks = "thread_id = $1 AND kind = 'signalbox/permission_requested'";
    await expect.poll(() => postgres.run(url, `SELECT 1 FROM signalbox.events WHERE ${asks}`, [id])).toHaveLength(1);
    const forge = `UPDATE signalbox.events SET payload = replace(payload, 'touch REALLY', 'git status') WHERE ${asks}`;
    await postgres.run(url, forge, [id]);
    const here = await laptop.screen();
    await expect
      .poll(async () => (await here.request({ control: "tvx.subscribe", stream: "thread", thread_id: id })).type)
      .toBe("tinyvex.snapshot");
    const [forged] = viewOf(here.received, id).permissions;
    if (forged === undefined) throw new Error("the question did not come");
    expect(forged.subject).toMatchObject({ command: "git status" });
    const { permission_id } = forged;
    const answer = { control: "permission.respond", thread_id: id, permission_id } as const;
    const shown = { [permission_id]: digestOf(forged) };
    expect(await here.request({ ...answer, option_id: "yes", shown })).toMatchObject({
      code: "conflict",
      message: "The question is not the one that was shown, so nothing was allowed. Answer it on the machine itself.",
    });
    // It still waits. A no gives nothing away.
    expect(await here.request({ ...answer, option_id: null, shown })).toMatchObject({ type: "tinyvex.ok" });
    await turnEnd(there, turn);
    expect(viewOf(there.received, id).permissions).toMatchObject([{ status: "denied" }]);
    expect(await there.request({ control: "session.delete", thread_id: id })).toMatchObject({ type: "tinyvex.ok" });
  });

  it("take secrets out of a thread, of the shared database and of what every screen shows", async () => {
    const there = await desktop.screen();
    const here = await laptop.screen();
    const id = await desktop.thread(there);
    await run(there, id, { say: "the key is sk-abcdefghijklmnop, you know" });
    await expect
      .poll(async () => (await here.request({ control: "tvx.subscribe", stream: "thread", thread_id: id })).type)
      .toBe("tinyvex.snapshot");
    await expect.poll(() => said(here, id)).toContain("sk-abcdefghijklmnop");
    const secrets = async (...flags: string[]) => {
      const { code, stdout } = await runProgram([
        "secrets",
        id,
        "--json",
        ...flags,
        "--data-dir",
        desktop.folder.in("data"),
      ]);
      expect(code).toBe(0);
      return stdout
        .trim()
        .split("\n")
        .filter(Boolean)
        .map((line) => JSON.parse(line) as object);
    };
    const found = { thread_id: id, kind: "well_known", preview: "sk-a" };
    expect(await secrets()).toEqual([
      expect.objectContaining({ ...found, item: "message" }),
      expect.objectContaining({ ...found, item: "message" }),
    ]);
    expect(await secrets("--redact")).toEqual([{ redacted: 2, threads: 1 }]);
    expect(await secrets()).toEqual([]);
    for (const screen of [there, here]) await expect.poll(() => said(screen, id)).toBe("the key is ***, you know");
    const left =
      "SELECT 1 FROM signalbox.events WHERE payload LIKE '%abcdefghijklmnop%' UNION ALL SELECT 1 FROM signalbox.items WHERE body LIKE '%abcdefghijklmnop%'";
    await expect.poll(() => postgres.run(url, left)).toEqual([]);
    // It goes on.
    await run(there, id, { say: " And on." });
    await expect.poll(() => said(here, id)).toBe("the key is ***, you know And on.");
  });

  it("show, follow, find, count and export each other's threads, also when the other is off", async () => {
    const there = await desktop.screen();
    const here = await laptop.screen();
    await here.request({ control: "tvx.subscribe", stream: "threads" });

    const unopened = await desktop.thread(there);
    // It appears in the list by itself, with its machine.
    const id = await desktop.thread(there);
    await run(there, id, { say: "a rare zyzzyva walks" }, { megabytes: 1 });
    await here.waitFor((message) => isRow(message, id));
    const [listed] = await rows(here, "threads.list", {});
    expect(listed).toMatchObject({ id, machine: "desktop", machine_online: true });

    // Opened, it is what the other screen shows, and it goes on live.
    await here.request({ control: "tvx.subscribe", stream: "thread", thread_id: id });
    await expect.poll(() => viewOf(here.received, id).timeline).toEqual(viewOf(there.received, id).timeline);
    const turn = await submit(there, id, { say: "and more " }, { wait: 50 }, { say: "live" });
    await here.waitFor(
      (message) =>
        message.type === "tinyvex.update" &&
        message.stream === "turns" &&
        "row" in message &&
        message.row.turn_id === turn &&
        message.row.ended_at !== null,
    );
    await expect.poll(() => said(here, id)).toBe("a rare zyzzyva walksand more live");

    // What this machine cannot do with it, it says.
    const refused = await here.request({ control: "session.delete", thread_id: id });
    expect(refused).toMatchObject({
      type: "tinyvex.error",
      code: "unauthorized",
      message: expect.stringContaining("desktop"),
    });

    // The other machine is off: all of it stays.
    await desktop[Symbol.asyncDispose]();
    await expect
      .poll(async () => (await rows(here, "threads.list", {}))[0])
      .toMatchObject({ id, machine_online: false });
    const [hit] = await rows(here, "search", { text: "zyzzyva" });
    expect(hit).toMatchObject({
      thread_id: id,
      machine: "desktop",
      snippet: expect.stringContaining("\uE000zyzzyva\uE001"),
    });
    expect(await rows(here, "stats", { group_by: [] })).toContainEqual(
      expect.objectContaining({ machine: "desktop", stat: "turns", count: 6 }),
    );
    const events = await rows(here, "events.list", { thread_id: id, limit: 1000 });
    expect(events.at(-1)?.seq).toBe(events.length);
    const blob = events.flatMap(({ blobs }) => (blobs as { hash: string; size: number }[] | undefined) ?? []).at(-1);
    const [part] = await rows(here, "blob.get", { hash: blob?.hash, offset: 10, length: 22 });
    expect(part).toMatchObject({ size: blob?.size, offset: 10, length: 22 });
    expect(blob?.size).toBeGreaterThan(1_000_000);
    const { port, token } = laptop.process.ready;
    const headers = { Authorization: `Bearer ${token}` };
    const exported = await (await fetch(`http://127.0.0.1:${port}/export/${id}?format=md`, { headers })).text();
    expect(exported).toContain("a rare zyzzyva walks");

    // Without the database this machine works on alone, and shows what it knew of the others.
    const before = await rows(here, "threads.list", {});
    const inDesktop = (row: Record<string, unknown>) => row.machine === "desktop";
    proxy.shutDown();
    const own = await laptop.thread(here);
    await run(here, own, { say: "alone" });
    await expect
      .poll(async () => (await rows(here, "machines.list", {}))[0])
      .toMatchObject({ problem: expect.any(String) });
    const after = await rows(here, "threads.list", {});
    expect(after[0]).toMatchObject({ id: own, machine: "laptop", machine_online: true });
    expect(after.filter(inDesktop)).toEqual(before.filter(inDesktop));
    expect(await rows(here, "threads.list", { text: "desktop no such word" })).toEqual([]);
    expect(await rows(here, "machines.list", {})).toMatchObject([{ own: true }, { machine: "desktop", online: false }]);
    expect(await rows(here, "events.list", { thread_id: id, limit: 1000 })).toEqual(events);
    expect(
      await here.request({ control: "tvx.query", name: "timeline.list", args: { thread_id: unopened } }),
    ).toMatchObject({
      type: "tinyvex.error",
      code: "unavailable",
      message: expect.stringMatching(/on the machine desktop\. .* was not opened here before\./),
    });
  });
});

it("finds and counts in the shared database what the register of its machine does", async () => {
  using folder = new TemporaryFolder();
  const url = await postgres.database();
  await using machine = await SharingMachine.start({ folder: folder.path, url, machine: "laptop" });
  const { register } = machine;
  const { id } = await register.createThread({ agent_id: "fake", cwd: "/work", title: "words" });
  startTurn(register, id, "1");
  machine.addText(
    id,
    "The café of src/shared-reader.ts is über 9000 metres high, it's at https://example.com/a_b?c=d.",
  );
  const locations = [{ path: "/work/src/queue.ts", line: 3 }, { path: "/work/src/queue.ts" }, { path: "/work/b" }];
  const call = {
    sessionUpdate: "tool_call",
    kind: "read",
    status: "completed",
    title: "Read `src/queue.ts`",
    locations,
  };
  machine.append(id, { ...call, toolCallId: "1" });
  machine.append(id, { ...call, toolCallId: "2", kind: "execute", status: "failed", title: "npm test" });
  endTurn(register, id, "1", { inputTokens: 7, outputTokens: 2, totalTokens: 9 });
  // Putting files back is recorded as a turn and not counted.
  const files = { before: "a", after: "b", restored: ["x"], conflicts: [] };
  register.append(id, fact({ type: "files_restored", turn_id: "restore-1", to_turn_id: "1", ...files }));
  await register.settled(id);
  const local = await localLog(folder.path, "laptop");
  await expect.poll(() => sharedLog(postgres, url).catch(() => [])).toEqual(local);
  const reader = new SharedReader(parseAddress(url), "other");
  for (const text of [
    "CAFE",
    "cafe über",
    "reader",
    '"shared reader"',
    '"reader shared"',
    "met*",
    "metr",
    "examp",
    "a_b",
    "it's",
    "-high",
    "high or low",
    "queue read",
    "'; DROP",
    "9000",
    "\u0301",
  ]) {
    const { rows: here } = await register.query("search", { text });
    const there = await reader.search({ text }, Number.MAX_SAFE_INTEGER, 50);
    expect([text, there]).toEqual([text, here.map((hit) => ({ ...hit, machine: "laptop" }))]);
  }
  // Titles are searched on their own machine only.
  const facets = (await register.query("facets.list", {})).rows.filter(({ value }) => value !== "thread");
  expect(await reader.listFacets()).toEqual(facets);
  for (const group_by of [[], ["day", "agent_id", "kind"], ["name", "kind"], ["path"]] as const) {
    const { rows: here } = await register.query("stats", { group_by, utc_offset_minutes: 120 });
    const there = await reader.countStats({ group_by, utc_offset_minutes: 120 }, Date.now(), 50);
    expect(there).toEqual(here.map((row) => ({ ...row, machine: "laptop" })));
  }
  await reader.close();
});

/** Enough rows of 20 machines that PostgreSQL chooses as it does for a big database. */
const manyRows = `
INSERT INTO signalbox.machines SELECT 'm' || n, 'o', current_user, 'test', 'off', now() FROM generate_series(1, 20) AS n;
INSERT INTO signalbox.threads SELECT 'm' || n % 20, 't' || n, 1, 10, '', 'agent-' || n % 5, '/work/' || n % 50, 'Thread ' || n,
  CASE WHEN n % 1000 = 0 THEN 'waiting' ELSE 'idle' END, n % 10 = 0, n * 1000, now() - n * interval '1 minute', repeat(md5(n::text), 40)
  FROM generate_series(1, 8000) AS n;
INSERT INTO signalbox.events SELECT 'm' || n % 20, 't' || n % 8000, n / 8000, n, 'x', md5(n::text), NULL FROM generate_series(1, 20000) AS n;
INSERT INTO signalbox.items SELECT 'm' || n % 20, 't' || n % 8000, n / 8000, 'message', 'i' || n, 'message', NULL, n * 1000, '',
  'common ' || md5(n::text) || CASE WHEN n % 5000 = 0 THEN ' rare' ELSE '' END FROM generate_series(1, 20000) AS n;
INSERT INTO signalbox.tool_calls SELECT 'm' || n % 20, 't' || n % 8000, n, 'read', 'read', 'completed', n * 1000, 1, 0, '["/a"]'
  FROM generate_series(1, 20000) AS n;
INSERT INTO signalbox.turns SELECT 'm' || n % 20, 't' || n % 8000, n::text, 'ended', n * 1000, 1, 1, 1, 1, 0, NULL
  FROM generate_series(1, 20000) AS n;
INSERT INTO signalbox.blob_uses SELECT 'm' || n % 20, 't' || n % 8000, md5(n::text), 1 FROM generate_series(1, 8000) AS n;
INSERT INTO signalbox.blob_pieces SELECT 'm' || n % 20, md5(n::text), 0, '' FROM generate_series(1, 8000) AS n;
INSERT INTO signalbox.commands SELECT gen_random_uuid(), 'm' || n % 20, 'm1', NULL, 'x', '', 0, '', now(), now()
  FROM generate_series(1, 4000) AS n;`;

it("[R9] reads through indexes, however much there is", async () => {
  const url = await postgres.database();
  await initShared({ url, role: undefined, machines: [], folders: [] });
  await postgres.run(url, manyRows);
  await postgres.run(url, "VACUUM ANALYZE");
  const groups = new Set(["day", "agent_id", "kind", "name"] as const);
  const nothing = [null, null, null] as const;
  // A thousandth of all time.
  const span = [19_980_000, 20_000_000] as const;
  const search = (word: string) => ["other", `'${word}'`, ...nothing, null, null, 0, Date.now(), 50];
  const statements: Readonly<Record<string, readonly [sql: string, values: readonly unknown[], index: RegExp]>> = {
    threads: [queries.threadsSql, ["other", false, Date.now(), "", ...nothing, [], 50], /threads_by_activity/],
    waiting: [queries.threadsSql, ["other", false, Date.now(), "", null, null, "waiting", [], 20], /threads_waiting/],
    find: [queries.findSql, ["other", ["t1"]], /threads_by_id/],
    events: [queries.eventsSql, ["m1", "t1", 0, 100, 2 ** 26], /events_\d+_pkey/],
    "search for a rare word": [queries.searchSql, search("rare"), /items_\d+_words_idx/],
    "search for a common word": [queries.searchSql, search("common"), /items_\d+_ts_seq_idx/],
    "statistics of calls": [queries.makeToolCallStatsSql(groups), ["other", 0, ...span, null], /tool_calls_by_end/],
    "statistics of turns": [queries.makeTurnStatsSql(groups), ["other", 0, ...span, null], /turns_by_end/],
    "statistics by path": [queries.pathStatsSql, ["other", ...span, null, 50], /tool_calls_by_end/],
    agents: [queries.makeFacetSql("agent_id"), ["other"], /threads_by_agent/],
    folders: [queries.makeFacetSql("cwd"), ["other"], /threads_by_folder/],
    kinds: [queries.kindsSql, [], /items_\d+_kind_idx/],
    changes: [changedSql, ["other", new Date().toISOString()], /threads_by_change/],
    commands: [pendingSql, ["m1"], /commands_waiting/],
    "removal of threads": [removalSql.threads, ["m1", ["t1", "t21"]], /threads_pkey/],
    "last events": [removalSql.lastSeq, ["m1", ["t1", "t21"]], /events_\d+_pkey/],
    "removal of events": [removalSql.events, ["m1", ["t1", "t21"], 10], /events_\d+_pkey/],
    "removal of items": [removalSql.items, ["m1", ["t1", "t21"], 10], /items_\d+_pkey/],
    "removal of calls": [removalSql.toolCalls, ["m1", ["t1", "t21"], 10], /tool_calls_pkey/],
    "removal of turns": [removalSql.turns, ["m1", ["t1", "t21"]], /turns_pkey/],
    "removal of blobs": [removalSql.blobs, ["m1", "t1"], /blob_pieces_\d+_pkey/],
  };
  for (const [name, [sql, values, index]] of Object.entries(statements)) {
    const plan = await postgres.explain(url, sql, values);
    expect(plan, name).toMatch(index);
    expect(plan, name).not.toMatch(/Seq Scan on (?!machines)/);
  }
});
