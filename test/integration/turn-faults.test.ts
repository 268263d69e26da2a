// An error in one thread never ends the host. Each call that a turn makes to a service of the host, and each step of the turn, fails once: the turn
// ends with a reason, its calls are closed, the next prompt works, and another thread does not notice.
import { AsyncLocalStorage } from "node:async_hooks";
import { mkdirSync, writeFileSync } from "node:fs";
import type { TurnRow } from "@signalbox/protocol";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { TurnCheckpoints } from "../../packages/checkpoints/src/changes/turn-checkpoints.ts";
import { AgentConnection } from "../../packages/host/src/agents/agent-connection.ts";
import { openHostServices } from "../../packages/host/src/open-host-services.ts";
import { ThreadPermissions } from "../../packages/host/src/permissions/thread-permissions.ts";
import type { HostServices } from "../../packages/host/src/server/host-services.ts";
import { ThreadFolder } from "../../packages/host/src/sessions/thread-folder.ts";
import { fakeAgentFile, type Step, script, toolCall, toolCallUpdate } from "../support/fake-agent/script.ts";
import { TemporaryFolder } from "../support/host-process.ts";

const args = ["--no-warnings", fakeAgentFile];
const fake = { id: "fake", label: "Fake", command: process.execPath, args };
const folder = new TemporaryFolder();
let services: HostServices;
let threadId = "";
let otherId = "";
let prompts = 0;

beforeAll(async () => {
  for (const name of ["data", "project", "other"]) mkdirSync(folder.in(name));
  writeFileSync(folder.in("data/config.json"), JSON.stringify({ permissions: [{ allow: "all" }] }));
  const own = { command: process.execPath, args: [], version: "0" };
  services = await openHostServices({ dataFolder: folder.in("data"), own, agents: [fake] });
  threadId = (await services.sessions.create({ agent_id: "fake", cwd: folder.in("project") })).id;
  otherId = (await services.sessions.create({ agent_id: "fake", cwd: folder.in("other") })).id;
  await submit(otherId, { say: "still here" }, { wait: 120_000 });
});
afterAll(async () => {
  await services.close();
  folder[Symbol.dispose]();
});

async function submit(thread: string, ...steps: readonly Step[]): Promise<string> {
  const prompt = [{ type: "text", text: script(...steps) }];
  const { turn_id } = await services.sessions.submit(thread, `prompt-${++prompts}`, prompt);
  return turn_id;
}

/** True in what the test itself does: no fault counts it. */
const isReading = new AsyncLocalStorage<boolean>();

/** Reads the register past any fault. */
const query: HostServices["register"]["query"] = (name, given) =>
  isReading.run(true, async () => {
    await services.register.settled(threadId);
    return await services.register.query(name, given);
  });

async function findTurn(turnId: string): Promise<TurnRow | undefined> {
  const { rows } = await query("turns.list", { thread_id: threadId, limit: 5 });
  return rows.find(({ turn_id }) => turn_id === turnId);
}

async function waitForEnd(turnId: string): Promise<TurnRow> {
  await expect.poll(async () => (await findTurn(turnId))?.ended_at ?? null, { timeout: 20_000 }).not.toBeNull();
  const turn = await findTurn(turnId);
  if (turn === undefined) throw new Error("no turn");
  return turn;
}

/** Makes the n-th call of any method of an object, or of the objects of a class, fail while it is armed. */
class Fault {
  isArmed = false;
  calls = 0;
  failed = "";
  readonly #at: number;

  constructor(target: object, at: number) {
    this.#at = at;
    const methods = isClass(target) ? target : Object.getPrototypeOf(target);
    for (const name of Object.getOwnPropertyNames(methods)) {
      const { value } = Object.getOwnPropertyDescriptor(methods, name) ?? {};
      if (typeof value === "function" && name !== "constructor") this.#wrap(target, name, value);
    }
  }

  #wrap(target: object, name: string, method: (...given: unknown[]) => unknown): void {
    const before = Object.getOwnPropertyDescriptor(target, name);
    /** True for the call that fails. */
    const isNext = () => this.isArmed && isReading.getStore() !== true && ++this.calls === this.#at;
    const fail = () => {
      this.failed = name;
      return new Error(`injected into ${name}`);
    };
    const isAsync = method.constructor.name === "AsyncFunction";
    Object.defineProperty(target, name, {
      configurable: true,
      writable: true,
      value(this: object, ...given: unknown[]) {
        if (!isNext()) return method.apply(isClass(target) ? this : target, given);
        if (isAsync) return Promise.reject(fail());
        throw fail();
      },
    });
    onTestFinished(() => {
      if (before === undefined) Reflect.deleteProperty(target, name);
      else Object.defineProperty(target, name, before);
    });
  }
}

/** The prototype of a class has the constructor; an object of it does not. */
function isClass(target: object): boolean {
  return Object.hasOwn(target, "constructor");
}

const work: readonly Step[] = [
  toolCall("c1", { kind: "execute", status: "in_progress" }),
  { ask: "terminal/create", params: { command: "echo ran" }, quiet: true },
  { ask: "fs/write_text_file", params: { path: "/nowhere/x", content: "x" }, quiet: true },
  toolCallUpdate("c1", { status: "completed" }),
  { say: "done" },
];

/** Runs a turn whose n-th call fails. False when the turn made fewer calls. */
async function runWithFault(target: object, at: number): Promise<boolean> {
  const fault = new Fault(target, at);
  fault.isArmed = true;
  const turnId = await submit(threadId, ...work).catch(() => null);
  const end = turnId === null ? null : await waitForEnd(turnId).finally(() => (fault.isArmed = false));
  fault.isArmed = false;
  if (end !== null) {
    expect([end.status, end.stop_reason ?? end.error?.message ?? ""]).not.toContain("");
    const listOpen = async () => {
      const { rows } = await query("tool_calls.list", { thread_id: threadId, limit: 10 });
      return rows.filter(({ ended_at }) => ended_at === null);
    };
    await expect.poll(listOpen).toEqual([]);
  }
  const next = await waitForEnd(await submit(threadId, { say: "next" }));
  expect(next, `after a failure of ${fault.failed}`).toMatchObject({ status: "ended", stop_reason: "end_turn" });
  return fault.failed !== "";
}

describe("[R5] [R7] a turn ends once, with a reason, when a call of it fails:", () => {
  it.each([
    ["register", () => services.register],
    ["checkpoints", () => TurnCheckpoints.prototype],
    ["git states", () => services.gitStates],
    ["questions", () => services.broker],
    ["rules", () => services.rules],
    ["permissions of the thread", () => ThreadPermissions.prototype],
    ["folder of the thread", () => ThreadFolder.prototype],
    ["connection to the agent", () => AgentConnection.prototype],
  ])("%s", async (_, target) => {
    let at = 1;
    while (await runWithFault(target(), at)) at++;
    expect(at).toBeGreaterThan(1);
    const { rows } = await query("turns.list", { thread_id: otherId });
    expect(rows).toMatchObject([{ status: "running" }]);
  });
});
