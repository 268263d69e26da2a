// Runs each scenario once for every `await` of the host that it reaches, and lets that one throw. A line of JSON says for each whether the host lived,
// another thread did not notice, the turn ended with a reason, and the next prompt worked.
// Usage: node --import ./instrument.ts run.ts EVERY FOLDER: every EVERY-th place fails.
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { AcpTestClient } from "../acp-client.ts";
import { askForm, askPermission, type Step, script, toolCall, toolCallUpdate } from "../fake-agent/script.ts";
import { HostInThisProcess } from "../host-in-this-process.ts";
import { root } from "../host-process.ts";
import { ModelServer } from "../model-server/model-server.ts";
import { TestScreen } from "../screen.ts";
import { failAt, forgetReached, listReached } from "./instrument.ts";

const [every = "1", folder = ""] = process.argv.slice(2);
const limitMs = 20_000;
const giveUpMs = 3000;

failAt(null);
/** Calls the MCP server's tool when it is asked to. */
const model = await ModelServer.start(({ messages }) => {
  const last = messages.at(-1);
  const isCall = last?.toolResults === undefined && last?.text.includes("call the server") === true;
  return isCall ? { toolCalls: [{ name: "mcp__docs__work", input: {} }] } : { text: "done" };
});
Object.assign(process.env, { ANTHROPIC_API_KEY: "key", ANTHROPIC_BASE_URL: model.url });
const mcpServer = join(root, "packages/agent/src/mcp/testing/misbehaving-server.mjs");
const host = await HostInThisProcess.start(folder, {
  config: {
    provider: "anthropic",
    providers: { anthropic: { model: "claude-sonnet-4-5" } },
    permissions: [{ allow: "kind:execute" }],
    mcpServers: { docs: { command: process.execPath, args: [mcpServer, "well"] } },
  },
  own: {
    command: process.execPath,
    args: [
      "--no-warnings",
      "--import",
      join(import.meta.dirname, "instrument.ts"),
      join(root, "packages/cli/src/main.ts"),
    ],
  },
});
const project = join(folder, "project");

/** Each would have ended a host without these listeners. */
const uncaught: string[] = [];
process.on("uncaughtException", (error) => uncaught.push(`uncaught: ${error.stack}`));
process.on("unhandledRejection", (error) =>
  uncaught.push(`unhandled: ${error instanceof Error ? error.stack : String(error)}`),
);

async function until<Found>(what: string, find: () => Promise<Found | null>): Promise<Found> {
  for (const end = Date.now() + limitMs; ; await wait(5)) {
    const found = await find();
    if (found !== null) return found;
    if (Date.now() > end) throw new Error(`still waiting after ${limitMs / 1000} s: ${what}`);
  }
}

async function listTurns(thread_id: string) {
  return (await host.screen.query("turns.list", { thread_id, limit: 3 })).rows;
}

/** Resolves when no turn of the thread is open. Answers what is asked until then. */
async function waitForEnd(thread_id: string): Promise<void> {
  await until("the end of a turn", async () => {
    await answerQuestions();
    return (await listTurns(thread_id)).every(({ ended_at }) => ended_at !== null) || null;
  });
}

async function answerQuestions(): Promise<void> {
  const { rows } = await host.screen.query("questions.list", {});
  for (const row of rows) {
    const { thread_id } = row;
    // The answer may be the call that fails; the next look answers again.
    if (row.type === "permission")
      await host.screen.request({
        control: "permission.respond",
        thread_id,
        permission_id: row.permission_id,
        option_id: row.options.find(({ kind }) => kind === "allow_once")?.optionId ?? "yes",
      });
    else
      await host.screen.request({
        control: "elicitation.respond",
        thread_id,
        elicitation_id: row.elicitation_id,
        action: "decline",
      });
  }
}

async function runTurn(thread_id: string, ...steps: readonly Step[]): Promise<string> {
  return await runPrompt(thread_id, script(...steps));
}

async function runPrompt(thread_id: string, text: string): Promise<string> {
  const turnId = await host.submit(thread_id, text);
  await waitForEnd(thread_id);
  return turnId;
}

let thread = await host.createThread("project");
/** With our own agent, which has an MCP server. */
let ownThread = await host.createThread("project", "signalbox");
await runTurn(thread, { say: "ready" });

/** Each may reject: what it promises is checked afterwards. */
const scenarios: Readonly<Record<string, () => Promise<unknown>>> = {
  "a start": async () => {
    const id = await host.createThread("project");
    await runTurn(id, { say: "started" });
    await host.screen.ask("session.close", { thread_id: id });
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
    await host.screen.ask("changes.restore", { thread_id: thread, to_turn_id });
  },
  "a question": () => runTurn(thread, toolCall("c2"), askPermission("c2", { title: "Do it" }), { say: "asked" }),
  "a terminal": async () => {
    await runTurn(thread, { ask: "terminal/create", params: { command: "echo out; sleep 9" }, quiet: true });
    const { rows } = await host.screen.query("terminals.list", { thread_id: thread });
    const params = { terminalId: rows.at(-1)?.terminal_id ?? "" };
    const asks = ["output", "kill", "wait_for_exit", "release"].map((name) => ({
      ask: `terminal/${name}`,
      params,
      quiet: true,
    }));
    await runTurn(thread, ...asks, { ask: "fs/read_text_file", params: { path: join(project, "made") }, quiet: true });
  },
  "a form": () =>
    runTurn(thread, toolCall("m1", { title: "search (MCP)" }), askForm({ port: { type: "integer" } }), {
      say: "filled",
    }),
  "an MCP call": () => runPrompt(ownThread, "call the server"),
  "a connection": async () => {
    using screen = await TestScreen.connect(host.ready);
    await screen.request({ control: "tvx.subscribe", stream: "thread", thread_id: thread });
    await screen.request({ control: "tvx.subscribe", stream: "threads" });
    using client = await AcpTestClient.connect(host.ready);
    await client.initialize();
    await client.ask("session/load", { sessionId: thread, cwd: project, mcpServers: [] });
    await client.ask("session/prompt", {
      sessionId: thread,
      prompt: [{ type: "text", text: script({ say: "from ACP" }) }],
    });
  },
};

/** Fails where a promise is not kept after a scenario. */
async function check(scenario: string): Promise<void> {
  if (scenario === "an MCP call") await checkThread(ownThread, "next");
  else await checkThread(thread, script({ say: "next" }));
  if (!(await host.isUndisturbed())) throw new Error("another thread noticed");
  if (uncaught.length > 0) throw new Error(uncaught.splice(0).join("\n"));
}

async function checkThread(thread_id: string, prompt: string): Promise<void> {
  await waitForEnd(thread_id);
  for (const { turn_id, status, stop_reason, error } of await listTurns(thread_id))
    if (!turn_id.startsWith("restore-") && (stop_reason ?? error?.message ?? "") === "")
      throw new Error(`a turn ended (${status}) without a reason`);
  const { rows: calls } = await host.screen.query("tool_calls.list", { thread_id, limit: 10 });
  const open = calls.filter(({ ended_at }) => ended_at === null);
  if (open.length > 0) throw new Error(`open calls: ${open.map(({ title }) => title).join(", ")}`);
  const turnId = await runPrompt(thread_id, prompt);
  const next = (await listTurns(thread_id)).find(({ turn_id }) => turn_id === turnId);
  if (next?.stop_reason !== "end_turn") throw new Error(`the next prompt: ${JSON.stringify(next)}`);
}

/** Gives what was wrong; null when all is well. */
async function attempt(scenario: string, run: () => Promise<unknown>, place: string): Promise<string | null> {
  failAt(place);
  // A scenario whose connection the fault closes may wait for ever.
  await Promise.race([run().catch(() => {}), wait(giveUpMs, undefined, { ref: false })]);
  failAt(null);
  try {
    await host.reconnect();
    await check(scenario);
    return null;
  } catch (error) {
    // What this fault left behind must not be counted again.
    thread = await host.createThread("project");
    ownThread = await host.createThread("project", "signalbox");
    return String(error);
  }
}

for (const [scenario, run] of Object.entries(scenarios)) {
  // Twice: what is loaded and cached at the first time is not reached again.
  await run();
  forgetReached();
  await run();
  const places = listReached().filter((_, index) => index % Number(every) === 0);
  for (const place of places)
    console.log(JSON.stringify({ scenario, place, problem: await attempt(scenario, run, place) }));
}
process.exit(0);
