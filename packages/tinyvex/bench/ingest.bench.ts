// What storing and notifying costs on top of reading and parsing the same bytes, in a register that is in use: each round
// is a thread of its own in the same file, as in a host that runs.
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { type Benchmark, quantile, timed } from "../../../test/bench/bench.ts";
import { openRegister } from "../src/index.ts";
import { chunks, indexed, ingest, newFolder, newThread, readStream, toolUpdates, writeStream } from "./agent-stream.ts";

interface Load {
  readonly title: string;
  readonly count: number;
  readonly updates: Iterable<object>;
  readonly target: number;
  readonly rounds: number;
}

const benchmark: Benchmark = async (report) => {
  const loads: Load[] = [
    { title: "100,000 chunks", count: 100_000, updates: chunks(100_000), target: 1.5, rounds: 8 },
    { title: "one answer of 1,000,000 chunks", count: 1_000_000, updates: chunks(1_000_000), target: 1.5, rounds: 4 },
    { title: "6,000 tool updates of 2 KB", count: 6000, updates: toolUpdates(6000, 2048), target: 2.5, rounds: 20 },
  ];
  for (const load of loads) {
    const { baseline, subject } = await compare(load);
    const speed = Math.round(load.count / (subject / 1000)).toLocaleString("en-US");
    report({
      title: `Take, store and notify ${load.title}, against reading and parsing alone`,
      value: subject / baseline,
      unit: "x",
      target: load.target,
      note: `${Math.round(subject)} ms against ${Math.round(baseline)} ms, ${speed} updates a second`,
    });
  }
};

async function compare({ updates, rounds }: Load): Promise<{ baseline: number; subject: number }> {
  const folder = newFolder();
  const file = join(folder.path, "stream.ndjson");
  await writeStream(file, updates);
  const path = join(folder.path, "register.db");
  const register = await openRegister({ path });
  const baselines: number[] = [];
  const subjects: number[] = [];
  let notified = 0;
  register.onChanges((changes) => {
    notified += changes.length;
  });
  // The first two rounds warm up what both use.
  for (let round = -2; round < rounds; round++) {
    let parsed = 0;
    const baseline = await timed(() => readStream(file, () => parsed++));
    const threadId = await newThread(register);
    notified = 0;
    const subject = await timed(() => ingest(file, register, threadId));
    if (parsed === 0 || notified === 0) throw new Error("nothing was read");
    if (round >= 0) {
      baselines.push(baseline);
      subjects.push(subject);
    }
    // What is done in the pause after a turn (words, checkpoint) is not part of the next round.
    await indexed(path);
    await setTimeout(600);
  }
  await register.close();
  folder.remove();
  // The better quarter of each: what else the machine does disturbs both, but not in every round.
  return { baseline: quantile(baselines, 0.25), subject: quantile(subjects, 0.25) };
}

export default benchmark;
