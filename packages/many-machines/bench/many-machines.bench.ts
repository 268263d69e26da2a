// The shared database: what sharing costs a machine that ingests, and how a database with the events of 200 live machines answers. The number of
// events is SIGNALBOX_BENCH_EVENTS (10,000,000 for the figures of docs/many-machines.md); the address of another database than an own, small one is SIGNALBOX_BENCH_URL.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ThreadSummaryRow } from "@signalbox/protocol";
import { type Benchmark, median, quantile, timed } from "../../../test/bench/bench.ts";
import { FakeHost, submit } from "../../../test/support/fake-host.ts";
import { PostgresProcess } from "../../../test/support/postgres.ts";
import type { TestScreen } from "../../../test/support/screen.ts";
import { SharingMachine } from "../../../test/support/sharing-machine.ts";
import { parseAddress } from "../src/database/address.ts";
import { connect } from "../src/database/connection.ts";
import { readInteger } from "../src/database/fields.ts";
import { removeMachine } from "../src/database/remove-machine.ts";
import { prepareSchema } from "../src/database/schema.ts";
import { SharedReader } from "../src/database/shared-reader.ts";
import type { Sharing } from "../src/database/sharing.ts";
import { eventsPerThread, simulatedMachine } from "./simulated-machine.ts";

const machineCount = 200;
const eventCount = Number(process.env.SIGNALBOX_BENCH_EVENTS ?? 200_000);
const ingested = 20_000;
const dayMs = 24 * 60 * 60 * 1000;

const benchmark: Benchmark = async (report) => {
  // Each machine has a connection, without a pooler.
  await using server = await PostgresProcess.start(["max_connections=300", "shared_buffers=256MB", "max_wal_size=4GB"]);
  const { postgres } = server;
  const alone = median([await ingest(null), await ingest(null), await ingest(null)]);
  const url = await postgres.database();
  const shared = median([
    await ingest(url),
    await ingest(await postgres.database()),
    await ingest(await postgres.database()),
  ]);
  report({
    title: "Ingest with sharing, against without",
    value: shared / alone,
    unit: "x",
    target: 1.3,
    note: `${ingested} updates in ${Math.round(alone)} ms without`,
  });
  const away = median([await ingest("postgres://me@127.0.0.1:1/db"), await ingest("postgres://me@127.0.0.1:1/db")]);
  report({ title: "The same with a database that is away", value: away / alone, unit: "x", target: 1.3 });

  const big = process.env.SIGNALBOX_BENCH_URL ?? (await postgres.database());
  const folder = mkdtempSync(join(tmpdir(), "signalbox-bench-"));
  let machines: readonly Sharing[] = [];
  const ms = await timed(async () => (machines = await startMachines(big, folder)));
  report({
    title: `Events that ${machineCount} machines ship, each over its own connection`,
    value: eventCount / (ms / 1000),
    unit: "/s",
    note: `${eventCount} events in ${Math.round(ms / 1000)} s`,
  });
  const reader = new SharedReader(parseAddress(big), "reader");
  const [thread] = await reader.listThreads({}, [Number.MAX_SAFE_INTEGER, ""], 1);
  const { machine = "", row } = thread ?? {};
  const measures: readonly [title: string, work: () => Promise<unknown>][] = [
    ["The newest 50 threads of all machines, p95", () => reader.listThreads({}, [Number.MAX_SAFE_INTEGER, ""], 50)],
    ["A search for a rare word, p95", () => reader.search({ text: "rare77" }, Number.MAX_SAFE_INTEGER, 50)],
    [
      "A search for a word that most items have, p95",
      () => reader.search({ text: "words" }, Number.MAX_SAFE_INTEGER, 50),
    ],
    ["The statistics of a day, p95", () => reader.countStats({ since: Date.now() - dayMs }, Date.now(), 50)],
    [
      "The last 200 events of a thread, p95",
      () => reader.readEvents(machine, row?.id ?? "", eventsPerThread - 200, 200),
    ],
  ];
  for (const [title, work] of measures)
    report({ title, value: await p95(work), unit: "ms", note: `${eventCount} events` });
  const note = `${eventCount} events in the database, ${machineCount} other machines connected`;
  const title = "Commit on one machine → read on another, p95 of 100";
  report({ title, value: await betweenMachines(big), unit: "ms", target: 150, note });
  const onScreens = "On the screen of its machine → on a screen of another, p95 of 60";
  report({ title: onScreens, value: await betweenScreens(big), unit: "ms", target: 150, note });
  await reader.close();
  await Promise.all(machines.map((sharing) => sharing.stop()));
  const removed = Math.ceil(eventCount / eventsPerThread / machineCount) * eventsPerThread;
  const removal = await timed(() => removeMachine({ url: big, machine: "machine-0", before: undefined }));
  report({
    title: "Events of a machine that is gone, removed",
    value: removed / (removal / 1000),
    unit: "/s",
    note: `${removed} events in ${Math.round(removal)} ms`,
  });
  rmSync(folder, { recursive: true, force: true });
};

/** Two hosts: an agent's text as the screen of its machine shows it, and as one of the other does. */
async function betweenScreens(url: string): Promise<number> {
  const start = (machine: string) => FakeHost.start({ config: { shared: { url, machine } } });
  await using desktop = await start("desktop");
  await using laptop = await start("laptop");
  const there = await desktop.screen();
  const here = await laptop.screen();
  const id = await desktop.thread(there);
  let opened = await here.request({ control: "tvx.subscribe", stream: "thread", thread_id: id });
  while (opened.type === "tinyvex.error") {
    await new Promise((next) => setTimeout(next, 200));
    opened = await here.request({ control: "tvx.subscribe", stream: "thread", thread_id: id });
  }
  const texts = Array.from({ length: 60 }, (_, index) => `text ${index};`);
  const times = texts.map(async (text) => {
    const [first, second] = await Promise.all([timeOf(there, text), timeOf(here, text)]);
    return second - first;
  });
  await submit(there, id, ...texts.flatMap((text) => [{ say: text }, { wait: 60 }]));
  return quantile(await Promise.all(times), 0.95);
}

/** When a screen shows a text. */
async function timeOf(screen: TestScreen, text: string): Promise<number> {
  await screen.waitFor(
    (message) =>
      message.type === "tinyvex.update" && message.stream === "messages" && message.text_delta.includes(text),
  );
  return performance.now();
}

/** One machine commits a text, another hears of it and has read it. */
async function betweenMachines(url: string): Promise<number> {
  const folders = [mkdtempSync(join(tmpdir(), "signalbox-bench-")), mkdtempSync(join(tmpdir(), "signalbox-bench-"))];
  const [from = "", to = ""] = folders;
  let arrived: ((seq: number) => void) | null = null;
  const sender = await SharingMachine.start({ folder: from, url, machine: "sender" });
  const reader = new SharedReader(parseAddress(url), "receiver");
  const receiver = await SharingMachine.start({
    folder: to,
    url,
    machine: "receiver",
    onChanges: (changes) => {
      for (const { machine, threadId, seq } of changes)
        if (machine === "sender") void reader.readEvents(machine, threadId, seq - 1, 10).then(() => arrived?.(seq));
    },
  });
  const { id } = await sender.register.createThread({ agent_id: "fake", cwd: "/work" });
  while (!receiver.sharing.isConnected || !sender.sharing.isConnected)
    await new Promise((next) => setTimeout(next, 50));
  const taken: number[] = [];
  for (let index = 0; index < 100; index++) {
    const seen = new Promise<number>((resolve) => (arrived = resolve));
    sender.addText(id, `text ${index} `);
    await sender.register.settled(id);
    const committed = performance.now();
    await seen;
    taken.push(performance.now() - committed);
    // Not within the window of the one before.
    await new Promise((next) => setTimeout(next, 60));
  }
  await reader.close();
  await sender[Symbol.asyncDispose]();
  await receiver[Symbol.asyncDispose]();
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  return quantile(taken, 0.95);
}

async function p95(work: () => Promise<unknown>): Promise<number> {
  const taken: number[] = [];
  for (let index = 0; index < 20; index++) taken.push(await timed(work));
  return quantile(taken, 0.95);
}

/** How long a machine takes to store an agent's updates, shared with this database or with none. */
async function ingest(url: string | null): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), "signalbox-bench-"));
  const machine = await SharingMachine.start({ folder, url: url ?? "postgres://me@127.0.0.1:1/db", machine: "bench" });
  if (url === null) await machine.sharing.stop();
  const { id } = await machine.register.createThread({ agent_id: "fake", cwd: "/work" });
  const ms = await timed(async () => {
    for (let index = 0; index < ingested; index++) {
      machine.append(id, { sessionUpdate: "tool_call_update", toolCallId: `t${index % 100}`, title: `call ${index}` });
      if (index % 200 === 0) {
        await machine.register.settled(id);
        await new Promise((resolve) => setImmediate(resolve));
      }
    }
    await machine.register.settled(id);
  });
  if (url !== null) await machine.sharing.stop();
  await machine.register.close();
  rmSync(folder, { recursive: true, force: true });
  return ms;
}

/** All machines ship what they have. They stay connected, as live machines are. */
async function startMachines(url: string, folder: string): Promise<readonly Sharing[]> {
  const threads = Math.ceil(eventCount / eventsPerThread);
  const example = await exampleRow();
  const first = await connect(parseAddress(url), "bench", new AbortController().signal);
  await prepareSchema(first);
  const load = { url, folder, machines: machineCount, threads, example, onProblem: console.error };
  const machines = Array.from({ length: machineCount }, (_, number) => simulatedMachine({ ...load, number }));
  const total = threads * eventsPerThread;
  const startedAt = performance.now();
  for (let lastTold = 0; ; ) {
    await new Promise((next) => setTimeout(next, 1000));
    const [row] = await first.query("SELECT coalesce(sum(last_seq), 0) AS events FROM signalbox.threads");
    const shipped = readInteger(row, "events");
    if (shipped >= total) break;
    if (shipped - lastTold < 500_000) continue;
    lastTold = shipped;
    console.error(`${shipped} of ${total} events, ${Math.round(shipped / ((performance.now() - startedAt) / 1000))}/s`);
  }
  await first.close();
  return machines;
}

/** A thread's row as a register makes it. */
async function exampleRow(): Promise<ThreadSummaryRow> {
  const folder = mkdtempSync(join(tmpdir(), "signalbox-bench-"));
  await using machine = await SharingMachine.start({ folder, url: "postgres://me@127.0.0.1:1/db", machine: "bench" });
  const { id } = await machine.register.createThread({ agent_id: "fake", cwd: "/work" });
  const row = await machine.register.getThread(id);
  if (row === null) throw new Error("the thread is gone");
  return row;
}

export default benchmark;
