// For tests: a thread with one turn in a real folder, with its checkpoints, that can be restored.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findHelper } from "@signalbox/sandbox";
import { openRegister } from "@signalbox/tinyvex";
import { onTestFinished } from "vitest";
import { CheckpointPool } from "../checkpoint-pool.ts";
import { type RestoreRequest, restoreChanges } from "../restore-changes.ts";
import { TurnCheckpoints } from "../turn-checkpoints.ts";

interface OneTurn {
  /** Commands in the thread's folder, before the turn and in it. */
  readonly before: string;
  readonly during: string;
  /** Written to `../names`, each with a zero byte at its end. */
  readonly names?: readonly string[];
  /** The program that watches the folder; undefined looks at all files each time. */
  readonly helper?: string | undefined;
}

/** The thread's folder is `above/sub`, below a folder of the test's own. */
export async function oneTurn({ before, during, names = [], ...watching }: OneTurn) {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "signalbox-restore-")));
  const at = (name: string) => join(base, name);
  const cwd = at("above/sub");
  mkdirSync(cwd, { recursive: true });
  writeFileSync(at("above/names"), names.map((name) => `${name}\0`).join(""));
  const shell = (command: string) => execFileSync("bash", ["-ec", command], { cwd, stdio: "pipe" });
  shell(before);
  const register = await openRegister({ path: at("register.db") });
  const checkpoints = new CheckpointPool(at("data"), { helper: "helper" in watching ? watching.helper : findHelper() });
  onTestFinished(async () => {
    checkpoints.close();
    await register.close();
    rmSync(base, { recursive: true, force: true });
  });
  const thread = await register.createThread({ agent_id: "fake", cwd });
  const turn = new TurnCheckpoints(register, checkpoints, thread);
  register.append(thread.id, { type: "fact", fact: { type: "turn_queued", turn_id: "t", prompt_id: "t", prompt: [] } });
  register.append(thread.id, { type: "fact", fact: { type: "turn_started", turn_id: "t" } });
  await turn.keepTurnStart("t");
  shell(during);
  await turn.keepTurnEnd("t");
  register.append(thread.id, { type: "fact", fact: { type: "turn_ended", turn_id: "t", stop_reason: "end_turn" } });
  turn.close();
  await register.settled(thread.id);
  const restore = (request: Partial<RestoreRequest> = {}) =>
    restoreChanges({ register, checkpoints }, thread, { to_turn_id: "t", ...request });
  return { at, restore, checkpoints };
}
