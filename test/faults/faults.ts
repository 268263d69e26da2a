// The faults: what each does to a running host, its agents, its clients, its disk and its clock. Each says how often it did it.
import { linkSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { WebSocket } from "ws";
import { type Step, toolCallUpdate } from "../support/fake-agent/script.ts";
import { childrenOf } from "../support/processes.ts";
import type { Random } from "../support/random.ts";
import type { Load } from "./load.ts";
import { readCommand, type Stage, waitUntil } from "./stage.ts";

interface Scene {
  readonly stage: Stage;
  readonly load: Load;
  readonly random: Random;
  /** The longest time for which something stands still: more in a longer run. */
  readonly stillMs: number;
}

export interface Fault {
  readonly name: string;
  readonly inject: (scene: Scene) => Promise<number>;
}

const signal = (pid: number | undefined, name: NodeJS.Signals): number => {
  try {
    return pid !== undefined && process.kill(pid, name) ? 1 : 0;
  } catch {
    return 0; // it ended in the meantime
  }
};

const signalOne = (random: Random, pids: readonly number[], name: NodeJS.Signals): number =>
  pids.length === 0 ? 0 : signal(random.choose(pids), name);

/** Does it one to three times, with a pause after each. */
async function repeat(random: Random, act: () => number | Promise<number>): Promise<number> {
  let count = 0;
  for (let times = random.between(1, 3); times > 0; times--) {
    count += await act();
    await pause(random.between(50, 800));
  }
  return count;
}

const killHost: Fault["inject"] = ({ stage, random }) =>
  repeat(random, async () => {
    await stage.killHost();
    return 1;
  });

const killAgent: Fault["inject"] = ({ stage, random }) =>
  repeat(random, () => signalOne(random, stage.agents, "SIGKILL"));

const killHelper: Fault["inject"] = ({ stage, random }) =>
  repeat(random, () => signalOne(random, stage.helpers, "SIGKILL"));

/** It runs only for milliseconds, when much was written. */
const killCheckpointer: Fault["inject"] = async ({ stage, load, random }) => {
  for (let prompt = 0; prompt < 12; prompt++) load.extraSteps.push([{ megabytes: 2 }, { wait: 600 }]);
  return await repeat(random, async () => {
    let killed = 0;
    const find = () => childrenOf(stage.host.ready.pid).find((pid) => readCommand(pid).includes("wal_checkpoint"));
    const end = performance.now() + 4000;
    while (killed === 0 && performance.now() < end) {
      killed = signal(find(), "SIGKILL");
      await pause(1);
    }
    return killed;
  });
};

const fillDisk: Fault["inject"] = ({ stage, random }) =>
  repeat(random, async () => {
    stage.fillDisk();
    await pause(random.between(200, 2500));
    stage.freeDisk();
    return 1;
  });

const jumps = [10, -10, 3600, -3600, 86_400, -86_400, 2 * 365 * 86_400, -2 * 365 * 86_400];

const moveClock: Fault["inject"] = async ({ stage, random }) => {
  const count = await repeat(random, () => (stage.setClock(random.choose(jumps)) ? 1 : 0));
  stage.setClock(0);
  return count;
};

const slowClients: Fault["inject"] = async ({ load, random, stillMs }) => {
  // More than a connection buffers, so that the host has to leave something out for them.
  for (let prompt = 0; prompt < 8; prompt++)
    load.extraSteps.push([{ megabytes: 1 }, { say: `${"x".repeat(5000)} `, times: 200 }]);
  const slow = load.clients.slice(1);
  for (const client of slow) client.pause();
  await pause(random.between(1000, Math.max(3000, stillMs)));
  for (const client of slow) client.resume();
  return slow.length;
};

const vanishingClients: Fault["inject"] = async ({ load, random }) => {
  const count = random.between(10, 40);
  for (let times = 0; times < count; times++) {
    random.choose(load.clients).vanish();
    await pause(random.between(0, 120));
  }
  return count;
};

/** Frames of a client that does not keep to the protocol. */
function makeLies(load: Load, random: Random): readonly (string | Buffer)[] {
  const thread_id = load.threads[random.below(load.threads.length)];
  const requests: readonly object[] = [
    { id: "l", control: "tvx.subscribe", stream: "thread", thread_id, after_seq: 10 ** 12 },
    { id: "l", control: "tvx.subscribe", stream: "thread", thread_id: "none" },
    { id: "l", control: "tvx.unsubscribe", stream: "thread", thread_id },
    { id: "l", control: "permission.respond", thread_id, permission_id: "none", option_id: "yes" },
    { id: "l", control: "terminal.run_again", thread_id, terminal_id: "../..", to: "outside" },
    { id: "l", control: "run.edit", thread_id, turn_id: "none", prompt: [] },
    { id: "l", control: "session.create", agent_id: "none", cwd: "/nowhere" },
    { id: { a: 1 }, control: "tvx.query", name: "events.list", args: { thread_id, limit: -1 } },
    { id: "l", control: "tvx.query", name: "blob.get", args: { hash: "x".repeat(100_000) } },
    { id: "l", control: "constructor" },
    { ...load.lastPrompt, id: "l1" },
    { ...load.lastPrompt, id: "l2" },
    { ...load.lastPrompt, id: "l3", prompt: [{ type: "text", text: "another text" }] },
  ];
  const junk = [
    "",
    "{",
    "null",
    "[]",
    '"text"',
    "[".repeat(100_000),
    "x".repeat(2 ** 20),
    "\0",
    Buffer.from([0xff, 0xfe]),
  ];
  return [...requests.map((request) => JSON.stringify(request)), ...junk];
}

const lyingClients: Fault["inject"] = async ({ stage, load, random }) => {
  const { port, token } = stage.host.ready;
  let count = 0;
  for (let connection = 0; connection < 4; connection++) {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/ws`, { headers: { authorization: `Bearer ${token}` } });
    socket.on("error", () => {});
    if (!(await waitUntil(() => socket.readyState === WebSocket.OPEN, 5000))) continue;
    for (const lie of random.shuffle(makeLies(load, random))) {
      socket.send(lie);
      count++;
    }
    await pause(random.between(50, 500));
    // The head of a frame of 60 MB, and no more of it.
    if (random.chance(0.5))
      Reflect.get(socket, "_socket")?.write(Buffer.from([0x81, 0xff, 0, 0, 0, 0, 3, 0x93, 0x87, 0, 1, 2, 3, 4]));
    await pause(random.between(0, 200));
    socket.terminate();
  }
  return count;
};

/** Lines that are not what ACP says. Each ends with a line break, unless the agent ends with it: else it would take the next word with it. */
const junkLines: readonly (readonly Step[])[] = [
  [{ raw: "this is not JSON\n" }, { raw: "\n\n\n" }, { raw: "\0\u0001\n" }],
  [{ raw: '{"jsonrpc":"2.0","method":"session/upd' }, { wait: 50 }, { raw: "\n" }],
  [{ raw: `${"[".repeat(20_000)}\n` }, { raw: `${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}\n` }],
  [
    { send: { id: 4711, result: {} } },
    { send: { id: null, error: null } },
    { send: { method: 7 } },
    { send: { params: [] } },
  ],
  [{ update: {} }, { update: { sessionUpdate: "tool_call" } }, { update: { sessionUpdate: "signalbox/turn_ended" } }],
  [toolCallUpdate("never-announced", { status: 17, content: "x" }), { update: { sessionUpdate: "plan", entries: 5 } }],
  [
    { ask: "fs/read_text_file", params: { path: 5 }, quiet: true },
    { ask: "no/such_method", quiet: true },
  ],
  [{ raw: '{"jsonrpc":"2.0","method":"session/update","params":{"sess' }, { exit: 3 }],
  [{ log: "x".repeat(200_000) }, { crash: "SIGSEGV" }],
];

const sendJunk: Fault["inject"] = async ({ load, random }) => {
  const some = random.shuffle(junkLines);
  load.extraSteps.push(...some.map((steps) => [...steps]));
  await waitUntil(() => load.extraSteps.length === 0, 8000);
  return some.length - load.extraSteps.length;
};

const sendGiants: Fault["inject"] = async ({ load, random }) => {
  const sizes = [
    { megabytes: random.between(1, 30) },
    { longChunk: 2 ** 20 },
    { raw: `{"x":"${"y".repeat(2 ** 20)}"}\n` },
  ];
  // One line over the limit ends its turn, and nothing else.
  const isOver = random.chance(0.4);
  load.extraSteps.push(...sizes.map((size) => [size]), ...(isOver ? [[{ endlessMegabytes: 270 }]] : []));
  const count = load.extraSteps.length;
  await waitUntil(() => load.extraSteps.length === 0, 20_000);
  return count - load.extraSteps.length;
};

const stopForAWhile: Fault["inject"] = ({ stage, random, stillMs }) =>
  repeat(random, async () => {
    const all = [[stage.host.ready.pid], stage.agents, stage.helpers, [stage.host.ready.pid, ...stage.agents]];
    const pids = random.choose(all);
    const count = pids.reduce((sum, pid) => sum + signal(pid, "SIGSTOP"), 0);
    await pause(random.between(300, stillMs));
    for (const pid of pids) signal(pid, "SIGCONT");
    return count;
  });

const workInDataFolder: Fault["inject"] = async ({ stage, load, random }) => {
  load.begin(stage.data);
  load.begin(join(stage.data, "workspace"));
  await pause(random.between(2500, 4000));
  await stage.tryToStartSecondHost();
  return 2;
};

const registerFiles = ["", "-wal", "-shm", ".lock"].map((ending) => `signalbox.db${ending}`);

const linkRegister: Fault["inject"] = async ({ stage, load, random }) => {
  const folder = stage.folder("work-0");
  const links = registerFiles.map((name) => ({ file: join(stage.data, name), link: join(folder, `agent-${name}`) }));
  for (const { file, link } of links) linkSync(file, link);
  load.extraSteps.push([{ shell: "cat agent-signalbox.db* > agent-copy; touch agent-signalbox.db*" }]);
  await pause(random.between(2500, 4000));
  await stage.tryToStartSecondHost();
  for (const { link } of links) rmSync(link);
  return links.length;
};

export const faults: readonly Fault[] = [
  { name: "none", inject: async () => 0 },
  { name: "kill -9 of the host", inject: killHost },
  { name: "kill -9 of an agent", inject: killAgent },
  { name: "kill -9 of a sandbox helper", inject: killHelper },
  { name: "kill -9 of the WAL checkpointer", inject: killCheckpointer },
  { name: "full disk", inject: fillDisk },
  { name: "clock jumps", inject: moveClock },
  { name: "slow clients", inject: slowClients },
  { name: "vanishing clients", inject: vanishingClients },
  { name: "lying clients", inject: lyingClients },
  { name: "junk lines", inject: sendJunk },
  { name: "giant lines", inject: sendGiants },
  { name: "SIGSTOP", inject: stopForAWhile },
  { name: "data folder as workspace", inject: workInDataFolder },
  { name: "hard links to the register", inject: linkRegister },
];
