// What history costs: the next turn, the next page and a search must not care how much there is already.
import { join } from "node:path";
import type { QueryArgs } from "@signalbox/protocol";
import { type Benchmark, median, timed } from "../../../test/bench/bench.ts";
import { openRegister, type Register } from "../src/index.ts";
import { startTurn } from "../src/testing/entries.ts";
import { indexed, ingest, newFolder, newThread, sessionUpdates, writeStream } from "./agent-stream.ts";
import { fillRegister, word } from "./million-messages.ts";

const benchmark: Benchmark = async (report) => {
  const { ratio, first, sixth } = await sixTurns();
  report({
    title: "The sixth identical turn of 6,000 updates, against the first",
    value: ratio,
    unit: "x",
    target: 1.2,
    note: `${Math.round(sixth)} ms against ${Math.round(first)} ms`,
  });
  const folder = newFolder();
  const path = join(folder.path, "register.db");
  const { big, small } = await fillRegister(path, 1_000_000);
  const register = await openRegister({ path });
  const pages = await comparePages(register, big, small);
  report({
    title: "A timeline page of 50 in a thread of 1,000,000 items, against one of 1,000",
    value: pages.big / pages.small,
    unit: "x",
    target: 1.5,
    note: `${(pages.big * 1000).toFixed(0)} µs against ${(pages.small * 1000).toFixed(0)} µs`,
  });
  for (const [title, args] of searches) {
    const { value, hits } = await search(register, args);
    report({
      title: `Search over 1,000,000 messages: ${title}`,
      value,
      unit: "ms",
      target: 50,
      note: `${hits} hits on the page`,
    });
  }
  await register.close();
  folder.remove();
};

const searches: readonly [title: string, args: QueryArgs<"search">][] = [
  ["a word that occurs once", { text: "needleword" }],
  ["a word that is in most of them", { text: word(0) }],
  ["two common words", { text: `${word(1)} ${word(2)}` }],
  ["three common words side by side", { text: `"${word(0)} ${word(1)} ${word(2)}"` }],
  ["the beginning of many words", { text: "conf" }],
  ["a common word and the beginning of others", { text: `${word(0)} modu` }],
  [
    "a common word, by agent, folder and kind",
    { text: word(0), agent_id: "small-agent", cwd: "/work/small", kind: "message" },
  ],
  ["a common word in a span of time", { text: word(0), since: 1_700_200_000_000, until: 1_700_300_000_000 }],
  ["a word that is not there", { text: "unfindable" }],
];

/** Median over registers of the sixth turn's time by the first's; each register is fresh, the code is warm. */
async function sixTurns(): Promise<{ ratio: number; first: number; sixth: number }> {
  const folder = newFolder();
  const file = join(folder.path, "stream.ndjson");
  await writeStream(file, sessionUpdates(6000));
  const rounds: { first: number; sixth: number }[] = [];
  for (let round = -1; round < 9; round++) {
    const path = join(folder.path, `${round}.db`);
    const register = await openRegister({ path });
    const threadId = await newThread(register);
    const times: number[] = [];
    for (let turn = 1; turn <= 6; turn++) {
      times.push(await timed(() => ingest(file, register, threadId, String(turn))));
      startTurn(register, threadId, String(turn + 1));
      await register.settled(threadId);
      // Between two turns there is time for what is done afterwards.
      await indexed(path);
    }
    await register.close();
    if (round >= 0) rounds.push({ first: times[0] ?? 0, sixth: times[5] ?? 0 });
  }
  folder.remove();
  return {
    ratio: median(rounds.map(({ first, sixth }) => sixth / first)),
    first: median(rounds.map(({ first }) => first)),
    sixth: median(rounds.map(({ sixth }) => sixth)),
  };
}

async function comparePages(register: Register, big: string, small: string): Promise<{ big: number; small: number }> {
  const page = (threadId: string, before: number) =>
    timed(() => register.query("timeline.list", { thread_id: threadId, before_seq: before, limit: 50 }));
  const times = { big: [] as number[], small: [] as number[] };
  for (let round = 0; round < 600; round++) {
    const place = (round * 7919) % 900;
    times.small.push(await page(small, 60 + place));
    times.big.push(await page(big, 60 + place * 1000));
  }
  // The first rounds warm up the code and both parts of the file.
  return { big: median(times.big.slice(100)), small: median(times.small.slice(100)) };
}

async function search(register: Register, args: QueryArgs<"search">): Promise<{ value: number; hits: number }> {
  const times: number[] = [];
  let hits = 0;
  for (let round = 0; round < 15; round++) {
    times.push(
      await timed(async () => {
        hits = (await register.query("search", { limit: 20, ...args })).rows.length;
      }),
    );
  }
  return { value: median(times), hits };
}

export default benchmark;
