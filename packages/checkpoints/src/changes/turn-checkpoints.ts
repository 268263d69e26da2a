// Makes the checkpoints of a thread's turns and records them: one when a prompt is sent, one before the turn's end is recorded. A checkpoint that
// fails never stops a prompt; the turn's row says why there is none.
import { isDeepStrictEqual } from "node:util";
import {
  type CheckpointMade,
  type Fact,
  messageOf,
  type SkippedFile,
  type ThreadCheckpoints,
  type ThreadRow,
} from "@signalbox/protocol";
import type { Register } from "@signalbox/tinyvex";
import type { Checkpoint } from "./checkpoint.ts";
import type { CheckpointPool, ProjectUse } from "./checkpoint-pool.ts";
import { keepInterruptedTurn } from "./keep-interrupted-turn.ts";
import { countChangedFiles } from "./net-changes.ts";
import { toText } from "./paths.ts";
import type { Project } from "./project.ts";
import { makeRef } from "./refs.ts";
import { readStartedTurns } from "./turn-points.ts";

/** A prompt waits no longer than this, also for the first checkpoint of a large folder. */
const beforeTimeoutMs = 5000;
const afterTimeoutMs = 30_000;
/** More of them say no more. */
const maxNotKept = 200;
const tooSlow = "It took too long to look at all files of this folder.";

export class TurnCheckpoints {
  readonly #register: Register;
  readonly #thread: ThreadRow;
  readonly #use: ProjectUse | null;
  /** The end checkpoint of an earlier turn in which Signalbox was killed. Never rejects: without one, a restore puts back nothing of that turn. */
  readonly #earlierTurn: Promise<void>;
  #checkpoints: ThreadCheckpoints | null;
  /** No end of a turn was kept since the agent was started. */
  #isFirst = true;
  #before: { readonly turnId: string; readonly checkpoint: Checkpoint } | null = null;

  /** Begins the first checkpoint of the folder, where there is none yet, and does not wait for it. */
  constructor(register: Register, pool: CheckpointPool, thread: ThreadRow) {
    this.#register = register;
    this.#thread = thread;
    this.#checkpoints = thread.checkpoints;
    const problem = pool.describeProblem(thread.cwd);
    this.#use = problem === null ? pool.use(thread.cwd) : null;
    this.#earlierTurn = keepInterruptedTurn({ register, checkpoints: pool }, thread).catch(() => {});
    if (problem !== null) this.#setCheckpoints({ on: false, reason: problem });
    this.#use?.opened
      .then(
        () => this.#setCheckpoints({ on: true }),
        (error: unknown) => this.#setCheckpoints({ on: false, reason: describeError(error) }),
      )
      // A register that accepts nothing ends the turn, which then says so.
      .catch(() => {});
  }

  /** Keeps the folder as it is when the prompt is sent. */
  async keepTurnStart(turnId: string): Promise<void> {
    this.#before = null;
    if (this.#use === null) return;
    try {
      await withTimeout(beforeTimeoutMs, this.#earlierTurn, tooSlow);
      const checkpoint = await this.#make(this.#use, turnId, "before", beforeTimeoutMs);
      this.#before = { turnId, checkpoint };
      this.#record(turnId, "before", checkpoint);
    } catch (error) {
      this.#recordFailure(turnId, "before", error);
    }
  }

  /** Keeps the folder as the turn left it. */
  async keepTurnEnd(turnId: string): Promise<void> {
    if (this.#use === null) return;
    try {
      const project = await this.#use.opened;
      const after = await this.#make(this.#use, turnId, "after", afterTimeoutMs);
      const before = this.#before?.turnId === turnId ? this.#before.checkpoint : null;
      const filesChanged = before === null ? null : (await project.store.compare(before, after, true)).length;
      const ofThread =
        filesChanged === 0 && !this.#isFirst ? undefined : await this.#countFiles(project, turnId, after);
      this.#isFirst = false;
      this.#record(turnId, "after", after, {
        files_changed: filesChanged,
        ...(ofThread !== undefined && { thread_files_changed: ofThread }),
      });
      // The user's repository may be cleaned; what this turn replaced must stay.
      if (before !== null) void keepReplaced(project, before, after);
    } catch (error) {
      this.#recordFailure(turnId, "after", error);
    }
  }

  close(): void {
    this.#use?.release();
  }

  async #make(use: ProjectUse, turnId: string, moment: "before" | "after", timeoutMs: number): Promise<Checkpoint> {
    const ref = makeRef(this.#thread.id, turnId, moment);
    const made = use.opened.then((project) => project.makeCheckpoint(ref, moment));
    return await withTimeout(timeoutMs, made, tooSlow);
  }

  #record(
    turnId: string,
    moment: "before" | "after",
    { commit, notKept }: Checkpoint,
    counts: Pick<CheckpointMade, "files_changed" | "thread_files_changed"> = {},
  ): void {
    this.#append({
      type: "checkpoint_made",
      turn_id: turnId,
      moment,
      commit,
      ...counts,
      not_kept: [...notKept]
        .slice(0, maxNotKept)
        .map(([path, reason]): SkippedFile => ({ path: toText(path), reason })),
      notice: null,
    });
  }

  /** Undefined where it cannot be counted: the checkpoint is worth keeping all the same. */
  async #countFiles({ store }: Project, turnId: string, { commit }: Checkpoint): Promise<number | undefined> {
    try {
      await this.#register.settled(this.#thread.id);
      return await countChangedFiles(store, await readStartedTurns(this.#register, this.#thread.id), turnId, commit);
    } catch {
      return undefined;
    }
  }

  #recordFailure(turnId: string, moment: "before" | "after", error: unknown): void {
    const hasBefore = moment === "after" && this.#before?.turnId === turnId;
    const notice = hasBefore
      ? `What this turn changed was not kept: ${describeError(error)}`
      : `The files were not kept before this prompt, so they cannot be put back: ${describeError(error)}`;
    this.#append({ type: "checkpoint_made", turn_id: turnId, moment, commit: null, not_kept: [], notice });
  }

  #setCheckpoints(checkpoints: ThreadCheckpoints): void {
    if (isDeepStrictEqual(checkpoints, this.#checkpoints)) return;
    this.#checkpoints = checkpoints;
    this.#append({ type: "checkpoints_changed", checkpoints });
  }

  #append(fact: Fact): void {
    this.#register.append(this.#thread.id, { type: "fact", fact });
  }
}

async function keepReplaced({ store }: Project, before: Checkpoint, after: Checkpoint): Promise<void> {
  try {
    await store.copyBorrowed(await store.listReplacedObjects(before, after));
  } catch {
    // Most of it is in the store already; the rest is as safe as the user's repository.
  }
}

/** Rejects after the time; the work itself goes on. */
function withTimeout<Result>(ms: number, work: Promise<Result>, message: string): Promise<Result> {
  const limit = Promise.withResolvers<never>();
  const timer = setTimeout(() => limit.reject(new Error(message)), ms);
  return Promise.race([work, limit.promise]).finally(() => clearTimeout(timer));
}

function describeError(error: unknown): string {
  const message = messageOf(error);
  return /No space left on device|ENOSPC|EDQUOT/.test(message) ? "The disk is full. Free some space." : message;
}
