// Questions over all threads must not take longer because there are many: search and statistics in a register of 10,000 threads.
import { join } from "node:path";
import type { QueryArgs } from "@signalbox/protocol";
import { type Benchmark, median, timed } from "../../../test/bench/bench.ts";
import { openRegister, type Register } from "../src/index.ts";
import { endTurn, says, startTurn, toolCall, toolUpdate } from "../src/testing/entries.ts";
import { indexed, newFolder } from "./agent-stream.ts";

const threadCount = 10_000;
const callsPerThread = 5;
const kinds = ["read", "edit", "execute", "search"];
const rounds = 15;
const targetMs = 20;

const benchmark: Benchmark = async (report) => {
  const folder = newFolder();
  const path = join(folder.path, "register.db");
  let now = Date.UTC(2026, 2, 31);
  const register = await openRegister({ path, now: () => now });
  const monthMs = 29 * 24 * 60 * 60 * 1000;
  const end = now;
  for (let count = 0; count < threadCount; count++) {
    now = end - monthMs + Math.floor((count / threadCount) * monthMs);
    await addThread(register, count, () => (now += 40 + (count % 100)));
  }
  now = end;
  await indexed(path);
  for (const [title, args] of searches) {
    const { value, hits } = await measure(() => register.query("search", { limit: 20, ...args }));
    report({ title: `Search in 10,000 threads: ${title}`, value, unit: "ms", target: targetMs, note: `${hits} hits` });
  }
  for (const [title, args] of statistics) {
    const { value, hits } = await measure(() => register.query("stats", args));
    report({
      title: `Statistics of 10,000 threads, ${title}`,
      value,
      unit: "ms",
      target: targetMs,
      note: `${hits} rows`,
    });
  }
  await register.close();
  folder.remove();
};

const searches: readonly [title: string, args: QueryArgs<"search">][] = [
  ["a word that occurs once", { text: "needle5000" }],
  ["a word that every thread has", { text: "common" }],
  ["the beginning of a word", { text: "need" }],
  ["a word of a title", { text: "quokka777" }],
];

const statistics: readonly [title: string, args: QueryArgs<"stats">][] = [
  ["by day, agent and kind", {}],
  ["by name", { group_by: ["name"] }],
  ["by path", { group_by: ["path"] }],
];

async function addThread(register: Register, count: number, tick: () => void): Promise<void> {
  const agent_id = count % 3 === 0 ? "one" : "two";
  const { id } = await register.createThread({ agent_id, cwd: `/work/${count % 50}`, title: `Thread quokka${count}` });
  startTurn(register, id, "1");
  register.append(id, says(`A common answer about needle${count}, with some more words around it.`));
  for (let call = 0; call < callsPerThread; call++) {
    const kind = kinds[(count + call) % kinds.length];
    const locations = [{ path: `/work/${count % 50}/src/file-${call}.ts` }];
    register.append(id, toolCall(`t${call}`, { kind, title: `Read file ${call}`, status: "in_progress", locations }));
    tick();
    register.append(id, toolUpdate(`t${call}`, { status: call === 0 && count % 7 === 0 ? "failed" : "completed" }));
  }
  endTurn(register, id, "1", { inputTokens: 100, outputTokens: 20, totalTokens: 120 });
  if (count % 50 === 0) await register.settled(id);
}

async function measure(ask: () => Promise<{ readonly rows: readonly unknown[] }>) {
  const times: number[] = [];
  let hits = 0;
  for (let round = 0; round < rounds; round++) {
    times.push(
      await timed(async () => {
        hits = (await ask()).rows.length;
      }),
    );
  }
  return { value: median(times), hits };
}

export default benchmark;
