// What storing and notifying costs on top of reading and parsing the same bytes.
import { join } from "node:path";
import { type Benchmark, median, timed } from "../../../test/bench/bench.ts";
import { chunks, newFolder, openWithTurn, readStream, take, toolUpdates, writeStream } from "./agent-stream.ts";

interface Load {
  readonly title: string;
  readonly count: number;
  readonly updates: Iterable<object>;
  readonly target: number;
  readonly rounds: number;
}

const benchmark: Benchmark = async (report) => {
  const loads: Load[] = [
    { title: "100,000 chunks", count: 100_000, updates: chunks(100_000), target: 1.5, rounds: 7 },
    { title: "one answer of 1,000,000 chunks", count: 1_000_000, updates: chunks(1_000_000), target: 1.5, rounds: 3 },
    { title: "6,000 tool updates of 2 KB", count: 6000, updates: toolUpdates(6000, 2048), target: 2.5, rounds: 9 },
  ];
  for (const load of loads) {
    const folder = newFolder();
    try {
      const file = join(folder.path, "stream.ndjson");
      await writeStream(file, load.updates);
      const { baseline, subject } = await compare(file, folder.path, load.rounds);
      report({
        title: `Take, store and notify ${load.title}, against reading and parsing alone`,
        value: subject / baseline,
        unit: "x",
        target: load.target,
        note: `${Math.round(subject)} ms against ${Math.round(baseline)} ms, ${Math.round(load.count / (subject / 1000)).toLocaleString("en-US")} updates a second`,
      });
    } finally {
      folder.remove();
    }
  }
};

async function compare(file: string, folder: string, rounds: number): Promise<{ baseline: number; subject: number }> {
  const baselines: number[] = [];
  const subjects: number[] = [];
  // The first round warms up what both use.
  for (let round = 0; round <= rounds; round++) {
    let parsed = 0;
    const baseline = await timed(() => readStream(file, () => parsed++));
    const taken = await openWithTurn(join(folder, `${round}.db`));
    const subject = await timed(() => take(file, taken));
    await taken.register.close();
    if (parsed === 0 || taken.notified() === 0) throw new Error("nothing was read");
    if (round === 0) continue;
    baselines.push(baseline);
    subjects.push(subject);
  }
  return { baseline: median(baselines), subject: median(subjects) };
}

export default benchmark;
