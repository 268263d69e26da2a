// What checkpoints cost: a prompt in a repository of 50,000 files against one in an empty folder, through the host and a real agent.
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { median, type Report, timed } from "../../../test/bench/bench.ts";
import { turnEnd } from "../../../test/support/fake-host.ts";
import { HostProcess, TemporaryFolder } from "../../../test/support/host-process.ts";
import { TestScreen } from "../../../test/support/screen.ts";

const agentFile = join(import.meta.dirname, "bench-agent.mjs");
const folders = 500;
const filesPerFolder = 100;
const prompts = 15;
const changedFiles = 5;

export default async function changesBench(report: Report): Promise<void> {
  using folder = new TemporaryFolder();
  for (const name of ["data", "empty", "large"]) mkdirSync(folder.in(name));
  makeRepository(folder.in("large"));
  const bench = { command: process.execPath, args: [agentFile] };
  writeFileSync(folder.in("data/config.json"), JSON.stringify({ agents: { bench } }));
  await using host = await HostProcess.start(folder.in("data"));
  using screen = await TestScreen.connect(host.ready);
  const empty = await delays(screen, folder.in("empty"));
  let first = 0;
  const large = await delays(screen, folder.in("large"), (ms) => (first = ms));
  const files = `${(folders * filesPerFolder).toLocaleString("en")} files`;
  report({
    title: `changes: prompt to agent in a repository of ${files}, later than in an empty folder by, median`,
    value: large.unchanged - empty.unchanged,
    unit: "ms",
    target: 50,
    note: describe(large.unchanged, empty.unchanged),
  });
  report({
    title: `changes: the same after a person changed ${changedFiles} files`,
    value: large.changed - empty.unchanged,
    unit: "ms",
    target: 50,
    note: describe(large.changed, empty.unchanged),
  });
  report({ title: `changes: first checkpoint of ${files}, in the background`, value: first, unit: "ms" });
  const [size = ""] = execFileSync("du", ["-sk", folder.in("data/checkpoints")], { encoding: "utf8" }).split("\t");
  report({ title: "changes: size of all checkpoints after it", value: Number(size) / 1024, unit: "MB", target: 16 });
}

function describe(figure: number, base: number): string {
  return `${figure.toFixed(1)} ms against ${base.toFixed(1)} ms`;
}

function makeRepository(folder: string): void {
  for (let index = 0; index < folders; index++) {
    mkdirSync(join(folder, `folder-${index}`));
    for (let file = 0; file < filesPerFolder; file++) {
      writeFileSync(join(folder, `folder-${index}/file-${file}.ts`), `export const value${index} = ${file};\n`);
    }
  }
  const commands = "git init -q . && git add -A && git -c user.name=a -c user.email=a@b commit -qm first";
  execFileSync("bash", ["-c", commands], { cwd: folder });
}

/** Medians in ms, from the request to the agent's first answer. */
async function delays(screen: TestScreen, cwd: string, onFirst: (ms: number) => void = () => {}) {
  let threadId = "";
  const first = await timed(async () => {
    const created = await screen.ask("session.create", { agent_id: "bench", cwd });
    threadId = created.thread_id;
    await screen.request({ control: "tvx.subscribe", stream: "thread", thread_id: threadId });
    for (let isOn = false; !isOn; ) {
      const { rows } = await screen.query("threads.list", { limit: 10 });
      isOn = rows.some((row) => row.id === threadId && row.checkpoints?.on === true);
    }
  });
  onFirst(first);
  const run = async (name: string) => {
    const start = process.hrtime.bigint();
    const prompt = [{ type: "text", text: JSON.stringify({ chunks: 1, perSecond: 1000 }) }];
    const submitted = await screen.ask("run.submit", { thread_id: threadId, prompt_id: `${threadId}-${name}`, prompt });
    const turn = await screen.waitFor(
      (message) =>
        message.type === "tinyvex.update" &&
        message.stream === "messages" &&
        message.thread_id === threadId &&
        message.role === "assistant" &&
        BigInt(message.text_delta.trim() || "0") > start,
    );
    const stamp = turn.type === "tinyvex.update" && turn.stream === "messages" ? BigInt(turn.text_delta.trim()) : start;
    await turnEnd(screen, submitted.turn_id);
    return Number(stamp - start) / 1e6;
  };
  await run("warm-up");
  const [unchanged, changed]: [number[], number[]] = [[], []];
  for (let index = 0; index < prompts; index++) {
    unchanged.push(await run(`unchanged-${index}`));
    for (let file = 0; file < changedFiles; file++) writeFileSync(join(cwd, `changed-${file}`), `${index}\n`);
    changed.push(await run(`changed-${index}`));
  }
  return { unchanged: median(unchanged), changed: median(changed) };
}
