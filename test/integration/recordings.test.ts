// Replays recordings of real agents as a process: the host stores every update as it was sent, in order.
import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { EventRow, JsonObject } from "@signalbox/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type FakeHost, submit, turnEnd, viewOf } from "../support/fake-host.ts";
import { root } from "../support/host-process.ts";
import { TestScreen } from "../support/screen.ts";
import { sharedHost } from "../support/shared-host.ts";

const folders = [join(root, "packages/tinyvex/test-data"), join(root, "test/support/recordings")];
const files = folders.flatMap((folder) =>
  readdirSync(folder)
    .filter((name) => name.endsWith(".jsonl"))
    .map((name) => join(folder, name)),
);
const replayAgent = join(root, "test/support/replay-agent.ts");

interface Recorded {
  readonly dir: string;
  readonly msg: {
    readonly id?: unknown;
    readonly error?: object;
    readonly method?: string;
    readonly params?: { readonly update: JsonObject };
  };
}

function recordingIn(file: string) {
  const lines = readFileSync(file, "utf8").split("\n");
  const recorded = lines.filter((line) => line !== "").map((line) => JSON.parse(line) as Recorded);
  const isUpdate = ({ dir, msg }: Recorded) => dir === "agent->client" && msg.method === "session/update";
  return {
    /** The error with which it refused to open a session. */
    refusal: recorded.find(({ dir, msg }) => dir === "agent->client" && msg.id === 1)?.msg.error ?? null,
    prompts: recorded.filter(({ dir, msg }) => dir === "client->agent" && msg.method === "session/prompt").length,
    updates: recorded.filter(isUpdate).flatMap(({ msg }) => (msg.params === undefined ? [] : [msg.params])),
  };
}

const isChunk = (kind: unknown) => String(kind).endsWith("_chunk");

async function eventsOf(screen: TestScreen, threadId: string): Promise<readonly EventRow[]> {
  const args = { thread_id: threadId, limit: 1000, after_seq: 0, full: true };
  const { rows } = await screen.query("events.list", args);
  // The host's own facts and updates are not the agent's.
  return rows.filter(
    ({ kind, payload }) => !kind.startsWith("signalbox/") && !JSON.stringify(payload).includes('"signalbox/host":true'),
  );
}

function chunksIn(events: readonly { readonly kind: unknown; readonly payload: unknown }[]): number {
  const counts = events.map(({ kind, payload }) =>
    isChunk(kind) ? ((payload as { chunks?: number }).chunks ?? 1) : 0,
  );
  return counts.reduce((sum, count) => sum + count, 0);
}

describe("a recorded agent", () => {
  let host: FakeHost;

  beforeAll(async () => {
    const agents = files.map((file) => [
      basename(file),
      { command: process.execPath, args: ["--no-warnings", replayAgent, file] },
    ]);
    host = await sharedHost({ config: { agents: Object.fromEntries(agents), permissions: [{ deny: "all" }] } });
  });

  afterAll(() => host[Symbol.asyncDispose]());

  it.each(files.map((file) => [basename(file), file]))("[R3] %s is stored as it was sent", async (_name, file) => {
    using screen = await TestScreen.connect(host.process.ready);
    const create = { control: "session.create", agent_id: basename(file), cwd: host.project } as const;
    const created = await screen.request(create);
    if (recordingIn(file).refusal !== null) {
      expect(created).toMatchObject({ type: "tinyvex.error", code: "agent_failed" });
      const args = { agent_id: basename(file) };
      const threads = await screen.request({ control: "tvx.query", name: "threads.list", args });
      expect(threads).toMatchObject({ rows: [] });
      return;
    }
    if (created.type !== "tinyvex.ok" || created.thread_id === undefined) throw new Error(JSON.stringify(created));
    const threadId = created.thread_id;
    await screen.request({ control: "tvx.subscribe", stream: "thread", thread_id: threadId });
    const { prompts, updates } = recordingIn(file);
    for (let index = 0; index < prompts; index++) await turnEnd(screen, await submit(screen, threadId, { say: "" }));

    const sent = updates.map((params) => ({ kind: params.update.sessionUpdate, payload: params }));
    await expect.poll(async () => chunksIn(await eventsOf(screen, threadId))).toBe(chunksIn(sent));
    const events = await eventsOf(screen, threadId);
    const kinds = new Set(sent.map(({ kind }) => kind));
    const stored = events.filter(({ kind }) => kinds.has(kind) && !isChunk(kind)).map(({ payload }) => payload);
    expect(stored).toEqual(sent.filter(({ kind }) => !isChunk(kind)).map(({ payload }) => payload));
    const { timeline, turns, permissions, gap } = viewOf(screen.received, threadId);
    expect(gap).toBe(false);
    expect(turns).toHaveLength(prompts);
    expect(timeline.every((item) => item.type === "message" || item.ended_at !== null)).toBe(true);
    expect(permissions.every(({ status }) => status === "denied" || status === "cancelled")).toBe(true);
  });
});
