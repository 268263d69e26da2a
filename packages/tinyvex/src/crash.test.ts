// Kills a real process at every single write (`npm test`: at every fifteenth) and looks at what it left behind.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Change } from "@signalbox/protocol";
import { build } from "esbuild";
import { describe, expect, it } from "vitest";
import { rounds } from "../../../test/support/rounds.ts";
import { openRegister } from "./open-register.ts";
import type { Register } from "./register.ts";
import { indexed, integrity, isGapless, storedRows } from "./testing/stored-rows.ts";
import { slow, temporaryFolder } from "./testing/temporary-register.ts";

interface Death {
  readonly path: string;
  readonly notified: readonly Change[];
  /** Null when it was killed; else how many writes a whole session takes. */
  readonly writes: number | null;
}

/** One file starts several times faster than sixty. */
async function bundleChild(folder: string): Promise<string> {
  const outfile = join(folder, "crash-child.mjs");
  const entryPoints = [join(import.meta.dirname, "testing/crash-child.ts")];
  await build({
    entryPoints,
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node24",
    logLevel: "error",
  });
  return outfile;
}

async function runChild(child: string, folder: string, killAt: number): Promise<Death> {
  const path = join(folder, `killed-at-${killAt}.db`);
  const run = spawn(process.execPath, ["--no-warnings", child, path, String(killAt)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let printed = "";
  run.stdout.on("data", (data: Buffer) => {
    printed += data.toString();
  });
  const [code, signal] = await once(run, "close");
  // The last line may be incomplete where the process died; then it does not count.
  const lines = printed
    .split("\n")
    .slice(0, -1)
    .map((line): Change & { writes?: number } => JSON.parse(line));
  const writes = lines.find((line) => line.writes !== undefined)?.writes ?? null;
  if (writes === null) expect(signal).toBe("SIGKILL");
  else expect(code).toBe(0);
  return { path, notified: lines.filter((line) => line.writes === undefined), writes };
}

async function inspect({ path, notified }: Death): Promise<void> {
  const register = await openRegister({ path });
  try {
    for (const change of notified) await expectStored(register, change);
    const { rows: threads } = await register.query("threads.list", {});
    for (const { id } of threads) {
      const snapshot = await register.snapshot(typeof id === "string" ? id : "");
      expect(snapshot.turns.filter(({ status }) => status === "running")).toEqual([]);
      for (const item of snapshot.timeline) {
        if (item.type === "message") expect(item.partial).toBe(false);
        else expect(["completed", "failed"]).toContain(item.status);
      }
      const isInterrupted = snapshot.turns.some(({ status }) => status === "interrupted");
      expect(snapshot.thread.status).toBe(isInterrupted ? "interrupted" : "idle");
      expect(snapshot.permissions.every(({ status }) => status !== "pending")).toBe(true);
    }
    await indexed(path);
    const live = storedRows(path);
    await register.rebuild();
    expect(storedRows(path)).toEqual(live);
  } finally {
    await register.close();
  }
  expect(isGapless(path)).toBe(true);
  expect(integrity(path)).toBe("ok");
}

/** What the process was told is in the file. */
async function expectStored(register: Register, change: Change): Promise<void> {
  if (change.stream === "threads") {
    if ("row" in change) expect(await register.getThread(change.row.id)).toMatchObject({ id: change.row.id });
    return;
  }
  const { thread_id: threadId, seq } = change;
  const events = await register.query("events.list", { thread_id: threadId, after_seq: seq - 1, limit: 1 });
  expect(events.rows[0]).toMatchObject({ seq });
  const { timeline, turns, terminals } = await register.snapshot(threadId);
  if (change.stream === "messages") {
    const stored = timeline.find((item) => item.type === "message" && item.item_id === change.item_id);
    const text = stored?.type === "message" ? stored.text : "";
    if ("text_delta" in change)
      expect(text.slice(change.text_offset, change.text_offset + change.text_delta.length)).toBe(change.text_delta);
    else expect(text).toHaveLength(change.text_len);
  } else if (change.stream === "tool_calls") {
    const stored = timeline.find((item) => item.type === "tool_call" && item.tool_call_id === change.row.tool_call_id);
    expect(stored?.last_seq).toBeGreaterThanOrEqual(change.row.last_seq);
  } else if (change.stream === "turns" && "row" in change) {
    expect(turns.find(({ turn_id: id }) => id === change.row.turn_id)?.last_seq).toBeGreaterThanOrEqual(seq);
  } else if (change.stream === "terminals") {
    expect(terminals.find(({ terminal_id: id }) => id === change.row.terminal_id)?.output).toContain(change.row.output);
  }
}

describe("a process that is killed", slow, () => {
  it("at any write leaves everything it was notified of, in order, and nothing open", async () => {
    const folder = temporaryFolder();
    const child = await bundleChild(folder);
    const whole = await runChild(child, folder, 0);
    await inspect(whole);
    const writes = whole.writes ?? 0;
    expect(writes).toBeGreaterThan(80);
    const step = rounds({ some: 15, all: 1 });
    const points = Array.from({ length: writes }, (_, index) => index + 1).filter(
      (point) => point % step === writes % step,
    );
    // A few processes at a time: most of the time goes into starting them.
    const worker = async () => {
      for (let point = points.shift(); point !== undefined; point = points.shift()) {
        const death = await runChild(child, folder, point);
        expect(death.writes).toBeNull();
        await inspect(death);
      }
    };
    await Promise.all([worker(), worker(), worker()]);
  });
});
