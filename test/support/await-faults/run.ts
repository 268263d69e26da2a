// Runs each scenario once for every `await` of the host that it reaches, and lets that one throw. A line of JSON says for each whether the host lived,
// another thread did not notice, the turn ended with a reason, and the next prompt worked.
// Usage: node --import ./instrument.ts run.ts EVERY FOLDER: every EVERY-th place fails.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { startHost } from "../../../packages/host/src/start-host.ts";
import { AcpTestClient } from "../acp-client.ts";
import {
  askForm,
  askPermission,
  fakeAgentFile,
  type Step,
  script,
  toolCall,
  toolCallUpdate,
} from "../fake-agent/script.ts";
import type { Ready } from "../host-process.ts";
import { TestScreen } from "../screen.ts";
import { faults } from "./instrument.ts";

const [every = "1", folder = ""] = process.argv.slice(2);
const limitMs = 20_000;
const giveUpMs = 3000;

/** Each would have ended a host without these listeners. */
const uncaught: string[] = [];
process.on("uncaughtException", (error) => uncaught.push(`uncaught: ${error.stack}`));
process.on("unhandledRejection", (error) =>
  uncaught.push(`unhandled: ${error instanceof Error ? error.stack : String(error)}`),
);

for (const name of ["data", "project", "other"]) mkdirSync(join(folder, name));
writeFileSync(join(folder, "data/config.json"), JSON.stringify({ permissions: [{ allow: "kind:execute" }] }));
const fake = { id: "fake", label: "Fake", command: process.execPath, args: ["--no-warnings", fakeAgentFile] };
const host = await startHost({
  dataFolder: join(folder, "data"),
  own: { command: process.execPath, args: [], version: "0" },
  agents: [fake],
  host: "127.0.0.1",
  port: 0,
  pageFolder: folder,
});
const ready: Ready = { ...host, pid: process.pid, data_dir: host.dataFolder };
/** Another one for each attempt: a fault may close the connection it is in. */
let watcher = await TestScreen.connect(ready);
const project = join(folder, "project");

async function createThread(cwd: string): Promise<string> {
  return (await watcher.ask("session.create", { agent_id: "fake", cwd })).thread_id;
}

let prompts = 0;
async function submit(thread_id: string, ...steps: readonly Step[]): Promise<string> {
  const prompt = [{ type: "text" as const, text: script(...steps) }];
  return (await watcher.ask("run.submit", { thread_id, prompt_id: `p${++prompts}`, prompt })).turn_id;
}

async function until<Found>(what: string, find: () => Promise<Found | null>): Promise<Found> {
  for (const end = Date.now() + limitMs; ; await wait(5)) {
    const found = await find();
    if (found !== null) return found;
    if (Date.now() > end) throw new Error(`still waiting after ${limitMs / 1000} s: ${what}`);
  }
}

async function listTurns(thread_id: string) {
  return (await watcher.query("turns.list", { thread_id, limit: 3 })).rows;
}

/** Resolves when no turn of the thread is open. Answers what is asked until then. */
async function waitForEnd(thread_id: string): Promise<void> {
  await until("the end of a turn", async () => {
    await answerQuestions();
    return (await listTurns(thread_id)).every(({ ended_at }) => ended_at !== null) || null;
  });
}

async function answerQuestions(): Promise<void> {
  const { rows } = await watcher.query("questions.list", {});
  for (const row of rows) {
    const { thread_id } = row;
    // The answer may be the call that fails; the next look answers again.
    if (row.type === "permission")
      await watcher.request({
        control: "permission.respond",
        thread_id,
        permission_id: row.permission_id,
        option_id: "yes",
      });
    else
      await watcher.request({
        control: "elicitation.respond",
        thread_id,
        elicitation_id: row.elicitation_id,
        action: "decline",
      });
  }
}

async function runTurn(thread_id: string, ...steps: readonly Step[]): Promise<string> {
  const turnId = await submit(thread_id, ...steps);
  await waitForEnd(thread_id);
  return turnId;
}

let thread = await createThread(project);
const other = await createThread(join(folder, "other"));
await submit(other, { say: "still here" }, { wait: 3_600_000 });
await runTurn(thread, { say: "ready" });

/** Each may reject: what it promises is checked afterwards. */
const scenarios: Readonly<Record<string, () => Promise<unknown>>> = {
  "a start": async () => {
    const id = await createThread(project);
    await runTurn(id, { say: "started" });
    await watcher.ask("session.close", { thread_id: id });
  },
  "a checkpoint": () =>
    runTurn(
      thread,
      toolCall("c1", { kind: "edit" }),
      { shell: "date +%N > made" },
      toolCallUpdate("c1", { status: "completed" }),
    ),
  "a restore": async () => {
    const to_turn_id = await runTurn(thread, { shell: "date +%N > made" });
    await watcher.ask("changes.restore", { thread_id: thread, to_turn_id });
  },
  "a question": () => runTurn(thread, toolCall("c2"), askPermission("c2", { title: "Do it" }), { say: "asked" }),
  "a terminal": async () => {
    await runTurn(thread, { ask: "terminal/create", params: { command: "echo out; sleep 9" }, quiet: true });
    const { rows } = await watcher.query("terminals.list", { thread_id: thread });
    const params = { terminalId: rows.at(-1)?.terminal_id ?? "" };
    const asks = ["output", "kill", "wait_for_exit", "release"].map((name) => ({
      ask: `terminal/${name}`,
      params,
      quiet: true,
    }));
    await runTurn(thread, ...asks, { ask: "fs/read_text_file", params: { path: join(project, "made") }, quiet: true });
  },
  "an MCP call": () =>
    runTurn(
      thread,
      toolCall("m1", { title: "search (MCP)", rawInput: { server: "docs", tool: "search" } }),
      askPermission("m1"),
      askForm({ port: { type: "integer" } }),
      toolCallUpdate("m1", {
        status: "completed",
        content: [{ type: "content", content: { type: "text", text: "found" } }],
      }),
    ),
  "a connection": async () => {
    using screen = await TestScreen.connect(ready);
    await screen.request({ control: "tvx.subscribe", stream: "thread", thread_id: thread });
    await screen.request({ control: "tvx.subscribe", stream: "threads" });
    using client = await AcpTestClient.connect(ready);
    await client.initialize();
    await client.ask("session/load", { sessionId: thread, cwd: project, mcpServers: [] });
    await client.ask("session/prompt", {
      sessionId: thread,
      prompt: [{ type: "text", text: script({ say: "from ACP" }) }],
    });
  },
};

/** Fails where a promise is not kept after a scenario. */
async function check(): Promise<void> {
  await waitForEnd(thread);
  for (const { turn_id, status, stop_reason, error } of await listTurns(thread))
    if (!turn_id.startsWith("restore-") && (stop_reason ?? error?.message ?? "") === "")
      throw new Error(`a turn ended (${status}) without a reason`);
  const { rows: calls } = await watcher.query("tool_calls.list", { thread_id: thread, limit: 10 });
  const open = calls.filter(({ ended_at }) => ended_at === null);
  if (open.length > 0) throw new Error(`open calls: ${open.map(({ title }) => title).join(", ")}`);
  const turnId = await runTurn(thread, { say: "next" });
  const next = (await listTurns(thread)).find(({ turn_id }) => turn_id === turnId);
  if (next?.stop_reason !== "end_turn") throw new Error(`the next prompt: ${JSON.stringify(next)}`);
  const [turn] = await listTurns(other);
  if (turn?.status !== "running") throw new Error(`the other thread: ${JSON.stringify(turn)}`);
  if (uncaught.length > 0) throw new Error(uncaught.splice(0).join("\n"));
}

/** Gives what was wrong; null when all is well. */
async function attempt(run: () => Promise<unknown>, place: string): Promise<string | null> {
  faults.wanted = place;
  // A scenario whose connection the fault closes may wait for ever.
  await Promise.race([run().catch(() => {}), wait(giveUpMs, undefined, { ref: false })]);
  faults.wanted = null;
  watcher[Symbol.dispose]();
  try {
    watcher = await TestScreen.connect(ready);
    await check();
    return null;
  } catch (error) {
    // What this fault left behind must not be counted again.
    thread = await createThread(project);
    return String(error);
  }
}

for (const [scenario, run] of Object.entries(scenarios)) {
  // Twice: what is loaded and cached at the first time is not reached again.
  await run();
  faults.reached.clear();
  await run();
  const places = [...faults.reached].filter((_, index) => index % Number(every) === 0);
  for (const place of places) console.log(JSON.stringify({ scenario, place, problem: await attempt(run, place) }));
}
process.exit(0);
