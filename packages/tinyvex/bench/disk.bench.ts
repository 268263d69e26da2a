// Disk: what an answer of 100,000 tokens adds to the file, everything included: log, rows, blobs, full-text index.
import { statSync } from "node:fs";
import { join } from "node:path";
import type { Benchmark } from "../../../test/bench/bench.ts";
import { openRegister } from "../src/index.ts";
import { endTurn, update } from "../src/testing/entries.ts";
import { chunks, indexed, newFolder, newThread } from "./agent-stream.ts";

const tokenCount = 100_000;

const benchmark: Benchmark = async (report) => {
  const fast = await answer(tokenCount);
  report({
    title: "An answer of 100,000 tokens adds to the file",
    value: fast.added,
    unit: "MB",
    target: 2,
    note: `${fast.text.toFixed(2)} MB of text in ${fast.events} events`,
  });
  const slow = await answer(3);
  report({
    title: "The same, three tokens in each commit window (as from a model that writes 120 tokens a second)",
    value: slow.added,
    unit: "MB",
    note: `${slow.events} events; each keeps the agent's own update`,
  });
};

async function answer(perWindow: number): Promise<{ added: number; text: number; events: number }> {
  const folder = newFolder();
  const path = join(folder.path, "register.db");
  const empty = await openRegister({ path });
  await empty.close();
  const before = statSync(path).size;
  const register = await openRegister({ path });
  const threadId = await newThread(register);
  let text = 0;
  let count = 0;
  for (const chunk of chunks(tokenCount)) {
    text += chunk.content.text.length;
    register.append(threadId, update(chunk));
    if (++count % perWindow === 0) await register.settled(threadId);
  }
  endTurn(register, threadId, "1");
  await register.settled(threadId);
  await indexed(path);
  const { seq } = await register.snapshot(threadId);
  await register.close();
  const added = (statSync(path).size - before) / 1e6;
  folder.remove();
  return { added, text: text / 1e6, events: seq };
}

export default benchmark;
