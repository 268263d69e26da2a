// The shared database: what sharing costs a machine that ingests, and how a database with the events of 200 machines answers. The number of
// events is SIGNALBOX_BENCH_EVENTS; the address of another database than an own, small one is SIGNALBOX_BENCH_URL.
import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type {
  PortableEvent,
  PortableItem,
  PortableToolCall,
  PortableTurn,
  ThreadSummaryRow,
} from "@signalbox/protocol";
import { type Benchmark, median, quantile, timed } from "../../../test/bench/bench.ts";
import { PostgresProcess } from "../../../test/support/postgres.ts";
import { SharingMachine } from "../../../test/support/sharing-machine.ts";
import { parseAddress } from "../src/address.ts";
import { connectTo } from "../src/connection.ts";
import { addToDigest, emptyDigest } from "../src/digest.ts";
import { prepareSchema } from "../src/schema.ts";
import { SharedReader } from "../src/shared-reader.ts";
import { SharedThreads } from "../src/shared-threads.ts";

const machineCount = 200;
const writers = 4;
const eventsPerThread = 500;
const eventCount = Number(process.env.SIGNALBOX_BENCH_EVENTS ?? 200_000);
const ingested = 20_000;
const dayMs = 24 * 60 * 60 * 1000;

const benchmark: Benchmark = async (report) => {
  await using server = await PostgresProcess.start();
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
  const ms = await timed(() => fill(big));
  report({
    title: `Events that ${machineCount} machines ship over ${writers} connections`,
    value: eventCount / (ms / 1000),
    unit: "/s",
    note: `${eventCount} events in ${Math.round(ms / 1000)} s`,
  });
  const reader = new SharedReader(parseAddress(big), "reader");
  const [thread] = await reader.threads({}, [Number.MAX_SAFE_INTEGER, ""], 1);
  const { machine = "", row } = thread ?? {};
  const measures: readonly [title: string, work: () => Promise<unknown>][] = [
    ["The newest 50 threads of all machines, p95", () => reader.threads({}, [Number.MAX_SAFE_INTEGER, ""], 50)],
    ["A search for a rare word, p95", () => reader.search({ text: "rare77" }, Number.MAX_SAFE_INTEGER, 50)],
    [
      "A search for a word that most items have, p95",
      () => reader.search({ text: "words" }, Number.MAX_SAFE_INTEGER, 50),
    ],
    ["The statistics of a day, p95", () => reader.stats({ since: Date.now() - dayMs }, Date.now(), 50)],
    ["The last 200 events of a thread, p95", () => reader.events(machine, row?.id ?? "", eventsPerThread - 200, 200)],
  ];
  for (const [title, work] of measures)
    report({ title, value: await p95(work), unit: "ms", note: `${eventCount} events` });
  report({
    title: "Commit on one machine → read on another, p95 of 100",
    value: await betweenMachines(big),
    unit: "ms",
    target: 150,
    note: `${eventCount} events in the database`,
  });
  await reader.close();
};

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
        if (machine === "sender") void reader.events(machine, threadId, seq - 1, 10).then(() => arrived?.(seq));
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

async function fill(url: string): Promise<void> {
  const address = parseAddress(url);
  const example = await exampleRow();
  const first = await connectTo(address, "bench", new AbortController().signal);
  await prepareSchema(first);
  for (let number = 0; number < machineCount; number++)
    await first.query(
      "INSERT INTO signalbox.machines VALUES ($1, $2, DEFAULT, 'bench', 'off', now()) ON CONFLICT DO NOTHING",
      [`machine-${number}`, randomUUID()],
    );
  await first.close();
  const threads = Math.ceil(eventCount / eventsPerThread);
  await Promise.all(
    Array.from({ length: writers }, async (_, writer) => {
      const connection = await connectTo(address, "bench", new AbortController().signal);
      for (let thread = writer; thread < threads; thread += writers) {
        const shared = new SharedThreads(connection, `machine-${thread % machineCount}`);
        // The threads of the last 90 days, the newest last.
        const at = Date.now() - Math.round(((threads - thread) / threads) * 90 * dayMs);
        const events = Array.from({ length: eventsPerThread }, (_each, index) => eventOf(index + 1, at));
        const tenths = events.filter(({ seq }) => seq % 10 === 0);
        const completed = {
          items: tenths.map(({ seq }) => itemOf(thread, seq, at)),
          tool_calls: tenths.map(({ seq }) => toolCallOf(seq, at)),
          turns: tenths.filter(({ seq }) => seq % 50 === 0).map(({ seq }) => turnOf(seq, at)),
        };
        const addition = {
          thread: {
            ...example,
            id: `t${thread}`,
            title: `Thread ${thread}`,
            last_seq: eventsPerThread,
            updated_at: at,
          },
          generation: 1,
          digest: addToDigest(emptyDigest, events),
          events,
          completed,
        };
        await connection.transaction(() => shared.add([addition]));
      }
      await connection.close();
    }),
  );
}

function eventOf(seq: number, ts: number): PortableEvent {
  const payload = JSON.stringify({
    sessionId: "s",
    update: {
      sessionUpdate: "tool_call_update",
      toolCallId: `t${seq % 50}`,
      title: `Read \`src/file-${seq}.ts\``,
      status: "completed",
    },
  });
  return { seq, ts, kind: "tool_call_update", payload, refs: [], blobs: [] };
}

function itemOf(thread: number, seq: number, ts: number): PortableItem {
  const body = `some words of message ${seq} in thread ${thread}${thread % 1000 === 77 ? " rare77" : ""}`;
  return { seq, item: "message", item_id: `m${seq}`, kind: "message", status: null, ts, title: "", body };
}

function toolCallOf(seq: number, ended_at: number): PortableToolCall {
  const kind = seq % 3 === 0 ? "edit" : "read";
  return {
    seq,
    kind,
    name: kind,
    status: "completed",
    ended_at,
    ms: seq,
    waited_ms: 0,
    paths: [`/work/src/file-${seq}.ts`],
  };
}

function turnOf(seq: number, ended_at: number): PortableTurn {
  const tokens = { input_tokens: 100, output_tokens: 10, total_tokens: 110 };
  return { turn_id: `turn-${seq}`, status: "ended", ended_at, ms: seq, ...tokens, cost: 0.01, currency: "USD" };
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
