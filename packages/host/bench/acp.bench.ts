// What the way through the host adds to each update: from an agent to an editor, through `signalbox acp`, against the agent's own pipe.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { LineSplitter } from "@signalbox/sandbox/lines";
import { median, quantile, type Report } from "../../../test/bench/bench.ts";
import { HostProcess, program, TemporaryFolder } from "../../../test/support/host-process.ts";

const agentFile = join(import.meta.dirname, "bench-agent.mjs");
const order = { chunks: 10_000, perSecond: 2000 };

export default async function acpBench(report: Report): Promise<void> {
  const direct = await delaysOf(spawn(process.execPath, [agentFile], { stdio: ["pipe", "pipe", "inherit"] }), "/");
  using folder = new TemporaryFolder();
  mkdirSync(folder.in("data"));
  const bench = { command: process.execPath, args: [agentFile] };
  writeFileSync(folder.in("data/config.json"), JSON.stringify({ agents: { bench } }));
  await using host = await HostProcess.start(folder.in("data"));
  const args = [program, "acp", "--agent", "bench", "--data-dir", host.ready.data_dir];
  const through = await delaysOf(spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] }), folder.path);
  for (const [name, q, target] of [
    ["p50", 0.5, 5],
    ["p99", 0.99, 5],
  ] as const) {
    const [one, other] = [typical(direct, q), typical(through, q)];
    report({
      title: `acp: added to each update at 2,000 a second, ${name}`,
      value: other - one,
      unit: "ms",
      target,
      note: `${one.toFixed(1)} ms from the agent's pipe, ${other.toFixed(1)} ms through the host`,
    });
  }
}

/** The median of so many streams counts: one that meets a busy disk says nothing about the rest. */
const streams = 3;

function typical(runs: readonly (readonly number[])[], q: number): number {
  return median(runs.map((delays) => quantile(delays, q)));
}

/** Milliseconds from the agent's write to the editor's read, per stream and update. */
async function delaysOf(agent: ChildProcess, cwd: string): Promise<readonly (readonly number[])[]> {
  const runs: number[][] = [];
  const answers = new Map<number, (result: { sessionId: string }) => void>();
  const lines = new LineSplitter(2 ** 28, (line) => {
    const arrived = process.hrtime.bigint();
    const { id, result, params } = JSON.parse(line.toString("utf8")) as Line;
    if (id !== undefined) answers.get(id)?.(result);
    const stamp = params?.update?.content?.text?.trim();
    if (stamp !== undefined && /^\d+$/.test(stamp)) runs.at(-1)?.push(Number(arrived - BigInt(stamp)) / 1e6);
  });
  agent.stdout?.on("data", (bytes: Buffer) => lines.push(bytes));
  let ids = 0;
  const ask = (method: string, params: object) =>
    new Promise<{ sessionId: string }>((resolve) => {
      answers.set(++ids, resolve);
      agent.stdin?.write(`${JSON.stringify({ jsonrpc: "2.0", id: ids, method, params })}\n`);
    });
  await ask("initialize", { protocolVersion: 1, clientCapabilities: {} });
  const { sessionId } = await ask("session/new", { cwd, mcpServers: [] });
  while (runs.length < streams) {
    runs.push([]);
    await ask("session/prompt", { sessionId, prompt: [{ type: "text", text: JSON.stringify(order) }] });
  }
  agent.kill();
  await once(agent, "exit");
  return runs;
}

interface Line {
  readonly id?: number;
  readonly result: { readonly sessionId: string };
  readonly params?: { readonly update?: { readonly content?: { readonly text?: string } } };
}
