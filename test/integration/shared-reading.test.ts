// Tests that every machine shows the threads of all machines, live, and also of those that are off.
import type { ServerMessage } from "@signalbox/protocol";
import { afterAll, beforeAll, expect, it } from "vitest";
import { pendingSql } from "../../packages/postgres/src/commands.ts";
import * as queries from "../../packages/postgres/src/reading-queries.ts";
import { changedSql } from "../../packages/postgres/src/remote-watch.ts";
import { FakeHost, run, said, submit, viewOf } from "../support/fake-host.ts";
import { TemporaryFolder } from "../support/host-process.ts";
import { Postgres } from "../support/postgres.ts";
import type { TestScreen } from "../support/screen.ts";
import { SharingMachine, sharedLog } from "../support/sharing-machine.ts";

/** Making a database takes a second, and much longer on a machine that is busy. */
const slowStart = 240_000;
let postgres: Postgres;
beforeAll(async () => {
  postgres = await Postgres.start();
}, slowStart);
afterAll(async () => await postgres[Symbol.asyncDispose]());

async function rows(
  screen: TestScreen,
  name: "threads.list" | "search" | "stats" | "timeline.list" | "blob.get" | "events.list",
  args: object,
) {
  const answer = await screen.request({ control: "tvx.query", name, args: { ...args } });
  if (answer.type !== "tinyvex.query_result") throw new Error(JSON.stringify(answer));
  return answer.rows as readonly Record<string, unknown>[];
}

const isRow = (message: ServerMessage, id: string) =>
  message.type === "tinyvex.update" && message.stream === "threads" && "row" in message && message.row.id === id;

it("shows, follows, finds, counts and exports the threads of another machine, also when that is off", async () => {
  const url = await postgres.database();
  const start = (machine: string) => FakeHost.start({ config: { shared: { url, machine } } });
  const desktop = await start("desktop");
  await using laptop = await start("laptop");
  const there = await desktop.screen();
  const here = await laptop.screen();
  await here.request({ control: "tvx.subscribe", stream: "threads" });

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
  const refused = await here.request({ control: "run.cancel", thread_id: id });
  expect(refused).toMatchObject({
    type: "tinyvex.error",
    code: "unauthorized",
    message: expect.stringContaining("desktop"),
  });

  // The other machine is off: all of it stays.
  await desktop[Symbol.asyncDispose]();
  await expect.poll(async () => (await rows(here, "threads.list", {}))[0]).toMatchObject({ id, machine_online: false });
  const [hit] = await rows(here, "search", { text: "zyzzyva" });
  expect(hit).toMatchObject({
    thread_id: id,
    machine: "desktop",
    snippet: expect.stringContaining("\uE000zyzzyva\uE001"),
  });
  expect(await rows(here, "stats", {})).toContainEqual(
    expect.objectContaining({ machine: "desktop", stat: "turns", count: 2 }),
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

  // Without the database this machine works on alone.
  await postgres.kill();
  const own = await laptop.thread(here);
  await run(here, own, { say: "alone" });
  expect((await rows(here, "threads.list", {})).map((row) => row.id)).toEqual([own]);
  await postgres.restart();
});

it("[R9] reads through indexes alone, however much there is", async () => {
  using folder = new TemporaryFolder();
  const url = await postgres.database();
  await using machine = await SharingMachine.start({ folder: folder.path, url, machine: "laptop" });
  await machine.thread();
  await expect.poll(async () => (await sharedLog(postgres, url).catch(() => [])).length).toBeGreaterThan(0);
  const groups = new Set(["day", "agent_id", "kind", "name"]);
  const nothing = [null, null, null] as const;
  const span = [0, Date.now()] as const;
  const statements: readonly [sql: string, values: readonly unknown[]][] = [
    [queries.threadsSql, ["other", false, Date.now(), "", ...nothing, [], 50]],
    [queries.findSql, ["other", ["t"]]],
    [queries.eventsSql, ["other", "t", 0, 100]],
    [queries.searchSql, ["other", "some words", ...nothing, null, null, ...span, 50]],
    [queries.toolCallStatsSql(groups), ["other", 0, ...span, null]],
    [queries.turnStatsSql(groups), ["other", 0, ...span, null]],
    [changedSql, ["other", "2026-01-01"]],
    [pendingSql, ["other"]],
  ];
  for (const [sql, values] of statements) {
    const plan = await postgres.explain(url, sql, values);
    expect(plan).toMatch(/Index|Bitmap/);
    expect(plan).not.toMatch(/Seq Scan on (?!machines)/);
  }
});
