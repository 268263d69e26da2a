// How fast our agent starts, answers, works and forwards, and what it weighs; against a scripted model on loopback.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { type Benchmark, median, type Report, usualHome } from "../../../test/bench/bench.ts";
import { LineClient, ModelProcess, program, providersAt } from "./line-client.ts";

const folder = mkdtempSync(join(tmpdir(), "agent-bench-"));
const home = join(folder, "home");
const project = join(folder, "project");
const env = { SIGNALBOX_HOME: home, HOME: usualHome() };

const benchmark: Benchmark = async (report) => {
  mkdirSync(home);
  mkdirSync(project);
  writeFileSync(join(project, "a.txt"), "alpha\n");
  const config = { permissions: [{ decision: "allow" }], limits: { max_turns: 60 } };
  writeFileSync(join(home, "config.json"), JSON.stringify(config));
  try {
    await start(report);
    await firstText(report);
    await calls(report);
    await memory(report);
    await flood(report);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};
export default benchmark;

/** A process that answers the first line and does nothing else: less than this no JavaScript agent can take. */
const bare = `process.stdin.once("data", () => process.stdout.write('{"jsonrpc":"2.0","id":0,"result":{}}\\n')).on("end", () => process.exit(0))`;
const initialize = `${JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize", params: { protocolVersion: 1 } })}\n`;

async function start(report: Report): Promise<void> {
  const bareFile = join(folder, "bare.mjs");
  writeFileSync(bareFile, bare);
  const bareTimes: number[] = [];
  const ours: number[] = [];
  for (let round = 0; round < 21; round++) {
    bareTimes.push(await answerTime([bareFile]));
    ours.push(await answerTime([...program, "agent"]));
  }
  const baseline = median(bareTimes);
  report({
    title: "agent: spawn to initialize answered, against a bare Node process that answers on stdio",
    value: median(ours) / baseline,
    unit: "x",
    target: 1.5,
    note: `${median(ours).toFixed(0)} ms, bare ${baseline.toFixed(0)} ms`,
  });
  const ready: number[] = [];
  for (let round = 0; round < 9; round++) {
    const begun = performance.now();
    const client = new LineClient(["--provider", "demo"], env);
    await client.open(project);
    ready.push(performance.now() - begun);
    await client.close();
  }
  report({ title: "agent: spawn to session/new answered", value: median(ready), unit: "ms" });
}

async function answerTime(args: readonly string[]): Promise<number> {
  const begun = performance.now();
  const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"], env: { ...process.env, ...env } });
  child.stdin.write(initialize);
  await once(child.stdout, "data");
  const time = performance.now() - begun;
  const exit = once(child, "exit");
  child.stdin.end();
  await exit;
  return time;
}

async function firstText(report: Report): Promise<void> {
  await using model = await ModelProcess.start("hello");
  const flags = providersAt(model.url).anthropic ?? [];
  const own = await modelTime(model.url);
  const firsts: number[] = [];
  const others: number[] = [];
  for (let round = 0; round < 3; round++) {
    const client = new LineClient(flags, env);
    const sessionId = await client.open(project);
    // No one types a prompt in less.
    await pause(1000);
    for (let prompt = 0; prompt < 31; prompt++) {
      const time = (await timeToText(client, sessionId)) - own;
      (prompt === 0 ? firsts : others).push(time);
    }
    await client.close();
  }
  const note = `the model itself takes ${own.toFixed(1)} ms`;
  report({
    title: "agent: prompt to first text, above the model's own time",
    value: median(others),
    unit: "ms",
    target: 15,
    note,
  });
  report({
    title: "agent: the same for the first prompt of a process, a second after its session was opened",
    value: median(firsts),
    unit: "ms",
  });
}

/** From the request to the first byte of the answer, asked directly. */
async function modelTime(url: string): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < 30; round++) {
    const begun = performance.now();
    const body = JSON.stringify({ model: "x", messages: [{ role: "user", content: "Hi" }], stream: true });
    const response = await fetch(`${url}/v1/messages`, { method: "POST", body });
    await response.body?.getReader().read();
    times.push(performance.now() - begun);
  }
  return median(times);
}

async function timeToText(client: LineClient, sessionId: string): Promise<number> {
  const begun = performance.now();
  const { promise, resolve } = Promise.withResolvers<number>();
  client.onLine = (line, at) => {
    if (line.includes("agent_message_chunk")) resolve(at);
  };
  const turn = client.prompt(sessionId, "Hi");
  const at = await promise;
  await turn;
  return at - begun;
}

async function calls(report: Report): Promise<void> {
  await using model = await ModelProcess.start("calls");
  const times: number[] = [];
  const own: number[] = [];
  for (let round = 0; round < 3; round++) {
    const client = new LineClient(providersAt(model.url).anthropic ?? [], env);
    const sessionId = await client.open(project);
    await pause(1000);
    for (let turn = 0; turn < 2; turn++) {
      const before = await model.spent();
      const begun = performance.now();
      await client.prompt(sessionId, "Go");
      const whole = performance.now() - begun;
      const spent = (await model.spent()).ms - before.ms;
      times.push((whole - spent) / 50);
      own.push(spent / 50);
      await client.prompt(sessionId, "/clear");
    }
    await client.close();
  }
  report({
    title: "agent: a tool call in a turn of 50 (read, `true` in turn), without the model's own time",
    value: median(times),
    unit: "ms",
    target: 8,
    note: `the model itself takes ${median(own).toFixed(1)} ms a call`,
  });
}

async function memory(report: Report): Promise<void> {
  await using model = await ModelProcess.start("hello");
  const idle: number[] = [];
  const answered: number[] = [];
  const later: number[] = [];
  for (let round = 0; round < 5; round++) {
    const client = new LineClient(providersAt(model.url).anthropic ?? [], env);
    const sessionId = await client.open(project);
    await pause(1000);
    idle.push(residentMegabytes(client.process.pid));
    await client.prompt(sessionId, "Hi");
    answered.push(residentMegabytes(client.process.pid));
    for (let prompt = 0; prompt < 20; prompt++) await client.prompt(sessionId, "Hi");
    later.push(residentMegabytes(client.process.pid));
    await client.close();
  }
  report({
    title: "agent: memory when idle, with an open session, median of 5 processes",
    value: median(idle),
    unit: "MB",
    target: 95,
    note: `${median(answered).toFixed(0)} MB after a first answer, ${median(later).toFixed(0)} MB after 21`,
  });
}

function residentMegabytes(pid: number | undefined): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? Number.NaN) / 1024;
}

async function flood(report: Report): Promise<void> {
  await using model = await ModelProcess.start("flood");
  const rates: [string, number][] = [];
  for (const [provider, flags] of Object.entries(providersAt(model.url))) {
    const client = new LineClient(flags, env);
    const sessionId = await client.open(project);
    const times: number[] = [];
    for (let round = 0; round < 4; round++) {
      let first = 0;
      let last = 0;
      let text = "";
      client.onLine = (line, at) => {
        if (!line.includes("agent_message_chunk")) return;
        first ||= at;
        last = at;
        text += (JSON.parse(line) as { params: { update: { content: { text: string } } } }).params.update.content.text;
      };
      await client.prompt(sessionId, "Go");
      if (text.split(" ").length !== 20_001) throw new Error("tokens were lost");
      times.push(last - first);
      await client.prompt(sessionId, "/clear");
    }
    rates.push([provider, 20_000 / (median(times) / 1000)]);
    await client.close();
  }
  report({
    title: "agent: streamed tokens forwarded, slowest provider",
    value: Math.min(...rates.map(([, rate]) => rate)),
    unit: "/s",
    target: 15_000,
    atLeast: true,
    note: rates.map(([provider, rate]) => `${provider} ${Math.round(rate / 1000)}k`).join(", "),
  });
}
