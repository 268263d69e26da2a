// A process that keeps and restores a folder as a host does, for tests that kill it: node checkpoint-child REGISTER DATA FOLDER HELPER.
// A request may name the operation (a git that is started, a file that is replaced or removed) at which the process kills itself.
import childProcess from "node:child_process";
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import type { Fact } from "@signalbox/protocol";
import { openRegister } from "@signalbox/tinyvex";
import { CheckpointPool } from "../checkpoint-pool.ts";
import { keepInterruptedTurn } from "../keep-interrupted-turn.ts";
import { listChanges } from "../list-changes.ts";
import { type RestoreRequest, restoreChanges } from "../restore-changes.ts";
import { TurnCheckpoints } from "../turn-checkpoints.ts";

export interface ChildRequest {
  readonly action: "before" | "after" | "restore" | "list" | "turns";
  readonly turnId: string;
  readonly restore?: RestoreRequest;
  readonly killAt?: number;
}

export type ChildAnswer = { readonly result: unknown } | { readonly error: string };

const [registerPath = "", dataFolder = "", folder = "", helper = ""] = process.argv.slice(2);
let operations = 0;
let killAt: number | undefined;

function count<Arguments extends unknown[], Result>(work: (...values: Arguments) => Result) {
  return (...values: Arguments): Result => {
    if (killAt !== undefined && ++operations === killAt) process.kill(process.pid, "SIGKILL");
    return work(...values);
  };
}

for (const [module, names] of [
  [childProcess, ["spawn"]],
  [fs, ["renameSync", "unlinkSync", "fchmodSync"]],
] as const) {
  for (const name of names) Reflect.set(module, name, count(Reflect.get(module, name)));
}
syncBuiltinESMExports();

const register = await openRegister({ path: registerPath });
// Without a helper that watches, all files are looked at, however long that takes.
const checkpoints = new CheckpointPool(
  dataFolder,
  helper === "" ? { helper: undefined, promptScanMs: 60_000 } : { helper },
);
const known = (await register.query("threads.list", {})).rows[0]?.id;
const threadId = known ?? (await register.createThread({ agent_id: "fake", cwd: folder })).id;
let turn: TurnCheckpoints | undefined;
const started = await register.getThread(threadId);
// As a host does when it starts.
if (started !== null) await keepInterruptedTurn({ register, checkpoints }, started);

async function carryOut({ action, turnId, restore }: ChildRequest): Promise<unknown> {
  const thread = await register.getThread(threadId);
  if (thread === null) throw new Error("no thread");
  const append = (fact: Fact) => register.append(threadId, { type: "fact", fact });
  switch (action) {
    case "before":
      turn = new TurnCheckpoints(register, checkpoints, thread);
      append({ type: "turn_queued", turn_id: turnId, prompt_id: turnId, prompt: [] });
      append({ type: "turn_started", turn_id: turnId });
      await turn.keepTurnStart(turnId);
      return await register.settled(threadId);
    case "after":
      await turn?.keepTurnEnd(turnId);
      append({ type: "turn_ended", turn_id: turnId, stop_reason: "end_turn" });
      turn?.close();
      return await register.settled(threadId);
    case "restore":
      return await restoreChanges({ register, checkpoints }, thread, restore ?? { to_turn_id: turnId });
    case "list":
      return await listChanges({ register, checkpoints }, { thread_id: threadId, turn_id: turnId });
    case "turns":
      return (await register.query("turns.list", { thread_id: threadId, limit: 1 })).rows;
  }
}

function answer(value: ChildAnswer): void {
  process.send?.(value);
}

process.on("message", (request: ChildRequest) => {
  operations = 0;
  killAt = request.killAt;
  carryOut(request).then(
    (result) => answer({ result }),
    (error: unknown) => answer({ error: String(error) }),
  );
});
process.on("disconnect", () => process.exit());
