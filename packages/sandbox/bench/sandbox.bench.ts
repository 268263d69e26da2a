// Measures the cost of the sandbox: `true` sandboxed, beside `true` started plainly and `true` under bubblewrap, in the same run.
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { type Benchmark, median, quantile, type Report, timed, usualHome } from "../../../test/bench/bench.ts";
import { buildHelper } from "../native/build.mjs";
import {
  canSandboxAgents,
  createPolicy,
  type Enforcement,
  type NetworkAccess,
  type Policy,
  type PolicySettings,
  proveEnforcement,
  runCommand,
  SessionLoopback,
  type SupervisedProcess,
  spawnSandboxed,
  spawnSupervised,
} from "../src/index.ts";
import { AllowList, EgressProxy, routeThroughProxy } from "../src/network/index.ts";

/** What else the machine does falls on what takes longer, so the quietest of some batches counts. */
const batches = 5;
const roundsPerBatch = 80;
const trueProgram = existsSync("/bin/true") ? "/bin/true" : "/usr/bin/true";

const benchmark: Benchmark = async (report) => {
  const built = await buildHelper();
  const enforcement = await proveEnforcement({ helper: "path" in built ? built.path : undefined });
  const folder = mkdtempSync(join(tmpdir(), "signalbox-bench-"));
  mkdirSync(join(folder, "data"));
  const settings: PolicySettings = {
    mode: "sandbox",
    network: "off",
    workspaceFolders: [folder],
    dataFolder: join(folder, "data"),
    homeFolder: usualHome(),
  };
  const policy = createPolicy(settings);
  const bubblewrap = ["/usr/bin/bwrap", "/usr/local/bin/bwrap"].find((path) => existsSync(path));
  const sandboxed = (by: Enforcement) => async () => {
    const result = await runCommand({ enforcement: by, policy, command: [trueProgram], cwd: folder });
    if (result.ended !== "exit" || result.exitCode !== 0) throw new Error(`true ended by ${result.ended}`);
  };
  const contestants = new Map<string, () => Promise<void>>([
    ["plain", () => plain(folder)],
    ["sandbox", sandboxed(enforcement)],
  ]);
  if (bubblewrap !== undefined) contestants.set("bubblewrap", sandboxed({ kind: "bubblewrap", program: bubblewrap }));

  const { base, sandbox, wrapped } = await quietest(contestants);
  const note = `median of ${roundsPerBatch} in the quietest of ${batches} batches: plain ${median(base).toFixed(2)} ms, sandbox ${median(sandbox).toFixed(2)} ms, 9 in 10 within ${quantile(sandbox, 0.9).toFixed(2)} ms`;
  report({
    title: "true in the sandbox, slower than plain by",
    value: median(sandbox) - median(base),
    unit: "ms",
    target: 1.5,
    note,
  });
  if (wrapped !== undefined) {
    const ratio = median(sandbox) / median(wrapped);
    report({
      title: "true in the sandbox / under bubblewrap",
      value: ratio,
      unit: "x",
      target: 0.5,
      note: `bubblewrap ${median(wrapped).toFixed(2)} ms`,
    });
  }
  await agentStart(report, enforcement, settings);
  report({
    title: "left behind by 1,000 commands",
    value: await leftBehind(enforcement, policy, folder),
    unit: "count",
    target: 0,
    note: "processes and descriptors",
  });
  rmSync(folder, { recursive: true, force: true });
};

/**
 * An agent's process from its start to its end, as the host starts it: supervised, outside; inside with the network; and inside with the network by name,
 * for which the way out and the loopback of its thread are opened. The policy of its commands is made for each.
 */
async function agentStart(report: Report, enforcement: Enforcement, settings: PolicySettings): Promise<void> {
  if (!canSandboxAgents(enforcement)) return;
  const { dataFolder } = settings;
  const [cwd = "/"] = settings.workspaceFolders;
  const program = { command: trueProgram, args: [], cwd, env: { PATH: process.env.PATH ?? "" } };
  const { helper } = enforcement;
  const allow = new AllowList(["api.example.com", "*.example.org", "127.0.0.1:11434"]);
  const policiesFor = (network: NetworkAccess) => {
    createPolicy({ ...settings, network });
    return createPolicy({ ...settings, network, agent: { home: dataFolder, layers: [], programs: [] } });
  };
  const startOutside = () => {
    createPolicy(settings);
    return ended(spawnSupervised({ ...program, helper }));
  };
  const startInside = () => ended(spawnSandboxed({ ...program, enforcement, policy: policiesFor("on") }));
  const startByName = async () => {
    const socket = join(dataFolder, `proxy-${randomBytes(6).toString("hex")}`);
    const proxy = await EgressProxy.open({ socket, allow, decide: refuseAll, record: () => {} });
    const network = routeThroughProxy(socket, allow);
    const session = SessionLoopback.create(enforcement, dataFolder, network);
    const opening = session?.open();
    const policy = policiesFor(network);
    await ended(spawnSandboxed({ ...program, enforcement, policy, loopback: await opening }));
    return async () => {
      await session?.[Symbol.asyncDispose]();
      await proxy[Symbol.asyncDispose]();
    };
  };
  const contestants = new Map<string, Contestant>([
    ["outside", startOutside],
    ["inside", startInside],
    ["byName", startByName],
  ]);
  await interleaved(contestants, 10); // warm
  const measured: (readonly [outside: number, inside: number, byName: number])[] = [];
  for (let i = 0; i < batches; i++) {
    const times = await interleaved(contestants, roundsPerBatch);
    const of = (name: string) => median(times.get(name) ?? []);
    measured.push([of("outside"), of("inside"), of("byName")]);
  }
  const [outside = 0, inside = 0, byName = 0] = measured.toSorted(([a], [b]) => a - b)[0] ?? [];
  const note = `median of ${roundsPerBatch} in the quietest of ${batches} batches: outside ${outside.toFixed(2)} ms`;
  for (const [where, time] of [
    ["inside the sandbox", inside],
    ["inside, with the network by name", byName],
  ] as const)
    report({
      title: `an agent's process ${where}, slower than outside by`,
      value: time - outside,
      unit: "ms",
      target: 5,
      note: `${note}, inside ${time.toFixed(2)} ms`,
    });
}

/** What it gives is done after all rounds: the kernel is busy with the end of a network for a while. */
type Contestant = () => Promise<void | (() => Promise<void>)>;

const refuseAll = async () => ({ allowed: false, reason: "" }) as const;

async function ended({ process: child }: SupervisedProcess): Promise<void> {
  child.stdout.resume();
  child.stderr.resume();
  await once(child, "close");
}

/** As a program without a sandbox would: until the process is gone and its streams are read. */
function plain(cwd: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(trueProgram, [], { cwd, stdio: ["ignore", "pipe", "pipe"] });
    child.on("error", reject);
    child.stdout.resume();
    child.stderr.resume();
    child.on("close", () => resolve());
  });
}

interface Batch {
  readonly base: number[];
  readonly sandbox: number[];
  readonly wrapped: number[] | undefined;
}

async function quietest(contestants: ReadonlyMap<string, () => Promise<void>>): Promise<Batch> {
  await interleaved(contestants, 20); // warm
  let best: Batch | undefined;
  for (let i = 0; i < batches; i++) {
    const times = await interleaved(contestants, roundsPerBatch);
    const batch = {
      base: times.get("plain") ?? [],
      sandbox: times.get("sandbox") ?? [],
      wrapped: times.get("bubblewrap"),
    };
    if (best === undefined || median(batch.base) < median(best.base)) best = batch;
  }
  if (best === undefined) throw new Error("nothing was measured");
  return best;
}

/** Turn and turn about, so that load falls on all of them. */
async function interleaved(
  contestants: ReadonlyMap<string, Contestant>,
  rounds: number,
): Promise<Map<string, number[]>> {
  const cleanUps: (() => Promise<void>)[] = [];
  const times = new Map([...contestants.keys()].map((name): [string, number[]] => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const [name, work] of contestants) {
      let cleanUp: (() => Promise<void>) | undefined;
      const time = await timed(async () => {
        cleanUp = (await work()) ?? undefined;
      });
      times.get(name)?.push(time);
      if (cleanUp !== undefined) cleanUps.push(cleanUp);
      await setTimeout(1); // the end of one is not the beginning of the next
    }
  }
  await Promise.all(cleanUps.map((cleanUp) => cleanUp()));
  return times;
}

async function leftBehind(enforcement: Enforcement, policy: Policy, cwd: string): Promise<number> {
  const before = count();
  for (let i = 0; i < 1000; i += 4) {
    await Promise.all([0, 1, 2, 3].map(() => runCommand({ enforcement, policy, command: [trueProgram], cwd })));
  }
  for (let i = 0; i < 200 && count() > before; i++) await setTimeout(10); // the last helpers are still being taken apart
  return count() - before;
}

function count(): number {
  const children = readdirSync("/proc/self/task").flatMap((thread) =>
    readFileSync(`/proc/self/task/${thread}/children`, "utf8").split(" ").filter(Boolean),
  );
  return children.length + readdirSync("/proc/self/fd").length;
}

export default benchmark;
