// Rebuild: how fast rows are made again from the log, and how long a live entry waits while that happens.
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type Benchmark, median, timed } from "../../../test/bench/bench.ts";
import { openRegister, type Register } from "../src/index.ts";
import { endTurn, says, startTurn, toolCall, toolUpdate } from "../src/testing/entries.ts";
import { newFolder, newThread } from "./agent-stream.ts";

const threadCount = 100;
const chunkCount = 1_000_000;
const updateCount = 200_000;
const pauseMs = 50;

const benchmark: Benchmark = async (report) => {
  const folder = newFolder();
  const path = join(folder.path, "register.db");
  await fill(path);
  forgetDeclaration(path);
  const start = performance.now();
  const register = await openRegister({ path });
  const opening = performance.now() - start;
  const { ms, events, waits } = await rebuild(register);
  report({
    title: "Rebuild of 1,000,000 chunks and 200,000 tool updates: events a second",
    value: Math.round(events / (ms / 1000)),
    unit: "/s",
    note: `${(ms / 1000).toFixed(1)} s for ${events.toLocaleString("en-US")} events in ${threadCount} threads, with the full-text index`,
  });
  report({
    title: "Opening a register whose rows have to be rebuilt",
    value: Math.round(opening),
    unit: "ms",
    note: "until the list of threads can be read",
  });
  report({
    title: "A live entry during the rebuild, until it is stored",
    value: median(waits),
    unit: "ms",
    note: `at most ${Math.round(Math.max(...waits))} ms`,
  });
  await register.close();
  folder.remove();
};

/** Every chunk has a number of its own, so that each is an event. */
async function fill(path: string): Promise<void> {
  const register = await openRegister({ path });
  for (let thread = 0; thread < threadCount; thread++) {
    const id = await newThread(register);
    for (let index = 0; index < chunkCount / threadCount; index++) {
      register.append(id, says(` word${index % 500}`, { _meta: { index } }));
      if (index % 200 === 0) register.append(id, toolCall(`call-${index}`));
      if (index % 1000 === 0) await register.settled(id);
    }
    for (let index = 0; index < updateCount / threadCount; index++) {
      const status = index % 20 === 19 ? "completed" : "in_progress";
      register.append(id, toolUpdate(`update-${Math.floor(index / 20)}`, { status, rawOutput: `line ${index}` }));
    }
    endTurn(register, id, "1");
    await register.settled(id);
  }
  await register.close();
}

function forgetDeclaration(path: string): void {
  using database = new DatabaseSync(path);
  database.exec("UPDATE meta SET value = '' WHERE key = 'rows'");
}

async function rebuild(register: Register): Promise<{ ms: number; events: number; waits: number[] }> {
  let events = 0;
  const done = new AbortController();
  const live = await newThread(register);
  startTurn(register, live, "2");
  const waits: number[] = [];
  const entries = (async () => {
    while (!done.signal.aborted) {
      // Also counted: how late the timer fires because a batch is being replayed.
      const ms = await timed(async () => {
        await new Promise((resolve) => setTimeout(resolve, pauseMs));
        register.append(live, says("live "));
        await register.settled(live);
      });
      waits.push(ms - pauseMs);
    }
  })();
  const ms = await timed(() =>
    register.rebuildStale(({ total }) => {
      events = total;
    }),
  );
  done.abort();
  await entries;
  return { ms, events, waits };
}

export default benchmark;
