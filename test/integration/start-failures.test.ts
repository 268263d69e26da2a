// The start of a thread's agent fails at each step, or is cancelled there: no process, socket, file or listener is left behind.
import { getEventListeners } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import type { ThreadRow } from "@signalbox/protocol";
import { expect, it } from "vitest";
import type { CheckpointPool } from "../../packages/checkpoints/src/changes/checkpoint-pool.ts";
import { AgentActivity } from "../../packages/host/src/agents/agent-activity.ts";
import type { AgentDefinition } from "../../packages/host/src/agents/registry.ts";
import { openHostServices } from "../../packages/host/src/open-host-services.ts";
import type { SessionServices } from "../../packages/host/src/sessions/session-services.ts";
import { StartLimit } from "../../packages/host/src/sessions/start-limit.ts";
import { startSession } from "../../packages/host/src/sessions/start-session.ts";
import { fakeAgentFile } from "../support/fake-agent/script.ts";
import { TemporaryFolder } from "../support/host-process.ts";
import { descendants } from "../support/processes.ts";

const fake: AgentDefinition = {
  id: "fake",
  label: "Fake",
  command: process.execPath,
  args: ["--no-warnings", fakeAgentFile],
};

/** The services of a host whose threads have a network by name with a credential, and what a thread leaves in this process and on the disk. */
async function openStage() {
  const folder = new TemporaryFolder();
  const data = folder.in("data");
  for (const path of [data, folder.in("project")]) mkdirSync(path);
  const token = "START_FAILURES_TOKEN";
  process.env[token] = "hidden";
  const credentials = { web: { host: "web.test", header: "x-key", env: token } };
  const sandbox = { network: { allow: ["127.0.0.1:9"] }, credentials };
  writeFileSync(`${data}/config.json`, JSON.stringify({ sandbox }));
  const own = { command: process.execPath, args: [], version: "0" };
  const opened = await openHostServices({ dataFolder: data, own, agents: [fake] });
  const before = new Set(descendants());
  // The helper that stands by stays, with its processes for the next command; the one that keeps a loopback is seen by its socket.
  const standsBy = (pid: number) => readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("\0serve\0");
  let watches = 0;
  const use = () => {
    watches++;
    let release = () => void watches--;
    const once = () => {
      release();
      release = () => {};
    };
    return { opened: new Promise(() => {}), release: once };
  };
  const services: SessionServices = {
    ...opened,
    checkpoints: { use, describeProblem: () => null } as unknown as CheckpointPool,
  };
  const filesIn = (name: string) => (existsSync(`${data}/${name}`) ? readdirSync(`${data}/${name}`) : []);
  return {
    folder,
    services,
    thread: () =>
      opened.register.createThread({ agent_id: "fake", cwd: folder.in("project"), title: null, sandbox_choice: true }),
    processes: () => descendants().filter((pid) => !before.has(pid) && !standsBy(pid)),
    left: () => ({
      files: [...filesIn("run"), ...filesIn("trust")].filter((name) => !name.endsWith(".json")),
      sockets: readFileSync("/proc/net/unix", "utf8").split(data).length - 1,
      watches,
    }),
    [Symbol.asyncDispose]: async () => {
      await opened.close();
      delete process.env[token];
      folder[Symbol.dispose]();
    },
  };
}

type Stage = Awaited<ReturnType<typeof openStage>>;

interface Attempt {
  readonly services?: SessionServices;
  readonly definition?: AgentDefinition;
  readonly thread?: Partial<ThreadRow>;
  /** Called with each step that the person sees. */
  readonly onStep?: (start: AbortController) => void;
  readonly onStarted?: () => void;
}

/** Starts it and, where that succeeds, stops it again. Gives how the start ended, and what is left. */
async function attempt(stage: Stage, { services = stage.services, definition = fake, ...more }: Attempt) {
  const { onStep, onStarted, thread } = more;
  const start = new AbortController();
  const activity = new AgentActivity();
  const outcome = await startSession(services, {
    thread: { ...(await stage.thread()), ...thread },
    definition,
    opening: undefined,
    source: { type: "own" },
    activity,
    limit: new StartLimit(60_000, activity),
    onStep: () => onStep?.(start),
    onGone: () => {},
    signal: start.signal,
  }).then(
    async (session) => {
      onStarted?.();
      await session.stop();
      return "started";
    },
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
  const left = { ...stage.left(), listeners: getEventListeners(start.signal, "abort").length };
  await expect.poll(() => stage.processes()).toEqual([]);
  return { outcome, left };
}

const nothing = { files: [], sockets: 0, watches: 0, listeners: 0 };

it("[R8] leaves nothing behind where the agent, its folders or the person end it", async () => {
  await using stage = await openStage();
  const { folder } = stage;
  symlinkSync("loop", folder.in("loop"));
  const cases: Readonly<Record<string, Attempt & { readonly says: RegExp }>> = {
    "as it should be": { says: /^started$/ },
    "a folder that no policy can be made for": {
      thread: { additional_directories: [folder.in("loop")] },
      says: /A sandbox policy needs absolute paths/,
    },
    "no program": { definition: { ...fake, command: "no-such-program" }, says: /no-such-program/ },
    "a program that ends": { definition: { ...fake, args: ["-e", "process.exit(3)"] }, says: /exited with code 3/ },
    "cancelled while it starts": { onStep: (start) => start.abort(), says: /was stopped before/ },
  };
  for (const [name, { says, ...each }] of Object.entries(cases)) {
    const { outcome, left } = await attempt(stage, each);
    expect({ name, outcome, left }).toEqual({ name, outcome: expect.stringMatching(says) as unknown, left: nothing });
  }
});

/** The services, of which the n-th call of the start fails. */
function failingAt(services: SessionServices, n: number) {
  const calls: string[] = [];
  let hasStarted = false;
  const watched = (service: object, name: string) =>
    new Proxy(service, {
      get: (target, key) => {
        const value: unknown = Reflect.get(target, key, target);
        if (typeof value !== "function") return value;
        return (...args: unknown[]): unknown => {
          if (!hasStarted && calls.push(`${name}.${String(key)}`) === n) throw new Error(`broken: ${calls.at(-1)}`);
          return Reflect.apply(value, target, args);
        };
      },
    });
  const { register, userConfig, rules, editors, ledger, keys } = services;
  const parts = { register, userConfig, rules, editors, ledger, keys };
  const broken = Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, watched(part, name)]));
  const onStarted = () => {
    hasStarted = true;
  };
  return { calls, broken: { services: { ...services, ...broken } as SessionServices, onStarted } };
}

it("[R8] leaves nothing behind whichever call of the start fails", async () => {
  await using stage = await openStage();
  const failed: string[] = [];
  for (let n = 1; ; n++) {
    const { calls, broken } = failingAt(stage.services, n);
    const { outcome, left } = await attempt(stage, broken);
    const call = calls[n - 1];
    if (call === undefined) break;
    expect({ call, left }).toEqual({ call, left: nothing });
    if (outcome === `broken: ${call}`) failed.push(call);
  }
  // Before the network is opened, while it is open, and when the agent's process is there.
  expect(failed).toEqual(expect.arrayContaining(["rules.setProject", "editors.keepOpening", "register.append"]));
});
