// Projects turns: queued, edited or removed from the queue, running, and ended exactly once.
import type { DatabaseSync } from "node:sqlite";
import type {
  Change,
  CheckpointMade,
  ContentBlock,
  FilesRestored,
  JsonObject,
  StopReason,
  TurnError,
  TurnQueued,
  TurnRow,
} from "@signalbox/protocol";
import { buildInsert, buildSelect, buildUpdate } from "../database/table.ts";
import { turns } from "../database/tables.ts";
import type { LoggedEvent } from "../log/event-log.ts";
import { toTurnRow } from "../queries/rows.ts";
import { ChangedRows } from "./changed-rows.ts";
import type { ThreadState } from "./thread-state.ts";

export type TurnEnd =
  | { readonly status: "ended"; readonly stop_reason: StopReason; readonly usage: JsonObject | null }
  | { readonly status: "failed" | "interrupted"; readonly error: TurnError };

const ofTurn = "thread_id = ? AND turn_id = ?";

export class Turns {
  readonly #statements;
  readonly #changed: ChangedRows<TurnRow>;

  constructor(database: DatabaseSync) {
    const find = buildSelect(database, turns, `WHERE ${ofTurn}`);
    this.#statements = {
      find,
      running: buildSelect(database, turns, "WHERE thread_id = ? AND status = 'running'"),
      last: buildSelect(
        database,
        turns,
        "WHERE thread_id = ? AND started_at IS NOT NULL AND restored_to IS NULL ORDER BY seq DESC LIMIT 1",
      ),
      insert: buildInsert(database, turns, "OR IGNORE"),
      edit: buildUpdate(database, turns, ["prompt", "prompt_seq", "last_seq"], `${ofTurn} AND status = 'queued'`),
      remove: database.prepare(`DELETE FROM turns WHERE ${ofTurn} AND status = 'queued'`),
      keep: buildUpdate(database, turns, ["checkpoint", "last_seq"], ofTurn),
      model: buildUpdate(database, turns, ["model"], ofTurn),
      spend: buildUpdate(database, turns, ["cost", "currency", "last_seq"], ofTurn),
      start: buildUpdate(
        database,
        turns,
        ["status", "started_at", "last_seq", "agent_id", "prompt"],
        `${ofTurn} AND status = 'queued'`,
      ),
      end: buildUpdate(
        database,
        turns,
        [
          "status",
          "stop_reason",
          "error",
          "usage",
          "input_tokens",
          "output_tokens",
          "total_tokens",
          "ended_at",
          "last_seq",
          "prompt",
        ],
        `${ofTurn} AND status IN ('queued', 'running')`,
      ),
    };
    this.#changed = new ChangedRows(
      (threadId, id) => find(threadId, id).map(toTurnRow)[0],
      (head, row) => ({ ...head, stream: "turns", row }),
    );
  }

  running(threadId: string): Set<string> {
    return new Set(this.#statements.running(threadId).map(({ turn_id }) => turn_id));
  }

  queue(event: LoggedEvent, { turn_id, prompt_id, prompt, model }: TurnQueued): void {
    this.#insert(event, turn_id, prompt_id, prompt);
    if (model !== undefined) this.setModel(event, turn_id, model);
    this.#changed.add(event.threadId, turn_id);
  }

  setModel({ threadId }: LoggedEvent, turnId: string, model: string): void {
    this.#statements.model({ model }, threadId, turnId);
  }

  edit({ threadId, seq }: LoggedEvent, turnId: string, prompt: readonly ContentBlock[]): void {
    this.#statements.edit({ prompt, prompt_seq: seq, last_seq: seq }, threadId, turnId);
    this.#changed.add(threadId, turnId);
  }

  remove({ threadId, seq }: LoggedEvent, turnId: string, changes: Change[]): void {
    if (this.#statements.remove.run(threadId, turnId).changes === 0) return;
    this.#changed.delete(threadId, turnId);
    changes.push({ type: "tinyvex.update", stream: "turns", thread_id: threadId, seq, removed: turnId });
  }

  /** Gives the `seq` of the event that has the prompt of a turn that begins to run, or null when it does not wait to. */
  start(state: ThreadState, event: LoggedEvent, turnId: string): number | null {
    const { threadId, seq, ts } = event;
    // A turn that was never queued has no prompt to show, but it runs all the same.
    this.#insert(event, turnId, "", []);
    const [turn] = this.#statements.find(threadId, turnId);
    if (turn?.status !== "queued") return null;
    const { agent_id } = state.record;
    const begun = { status: "running", started_at: ts, last_seq: seq, agent_id, prompt: [] } as const;
    this.#statements.start(begun, threadId, turnId);
    state.runningTurns.add(turnId);
    this.#changed.add(threadId, turnId);
    return turn.prompt_seq;
  }

  /** False when the turn had ended before: it ends once. */
  end(state: ThreadState, event: LoggedEvent, turnId: string, end: TurnEnd): boolean {
    const { threadId, seq, ts } = event;
    const usage = end.status === "ended" ? end.usage : null;
    const values = {
      stop_reason: null,
      error: null,
      ...end,
      usage,
      input_tokens: readTokens(usage, "inputTokens"),
      output_tokens: readTokens(usage, "outputTokens"),
      total_tokens: readTokens(usage, "totalTokens"),
      ended_at: ts,
      last_seq: seq,
      prompt: [],
    };
    if (!this.#statements.end(values, threadId, turnId)) return false;
    state.runningTurns.delete(turnId);
    this.#changed.add(threadId, turnId);
    return true;
  }

  /** Money that was spent since the last report: it belongs to the turn that runs, or to the last that ran. */
  addCost({ threadId, seq }: LoggedEvent, amount: number, currency: string): void {
    const [turn] = this.#statements.last(threadId);
    // A turn that cost nothing is another than one whose cost no one knows. After its end nothing new is said of it.
    const isNew = amount > 0 || (turn?.cost === null && turn.status === "running");
    if (turn === undefined || !isNew) return;
    this.#statements.spend({ cost: (turn.cost ?? 0) + amount, currency, last_seq: seq }, threadId, turn.turn_id);
    this.#changed.add(threadId, turn.turn_id);
  }

  keepCheckpoint({ threadId, seq }: LoggedEvent, made: CheckpointMade): void {
    const [turn] = this.#statements.find(threadId, made.turn_id);
    if (turn === undefined) return;
    const known = turn.checkpoint ?? { before: null, after: null, files_changed: null, not_kept: [], notice: null };
    const checkpoint = {
      ...known,
      [made.moment]: made.commit,
      ...(made.found === undefined ? {} : { found: made.found }),
      files_changed: made.files_changed ?? null,
      // A file that was missing in one of the two checkpoints counts as not kept.
      not_kept: [...new Map([...known.not_kept, ...made.not_kept].map((each) => [each.path, each])).values()],
      notice: made.notice ?? known.notice,
    };
    this.#statements.keep({ checkpoint, last_seq: seq }, threadId, made.turn_id);
    this.#changed.add(threadId, made.turn_id);
  }

  /** A restore of files stands among the turns: what it changed can be listed and undone in the same way. */
  addRestore({ threadId, seq, ts }: LoggedEvent, fact: FilesRestored): void {
    const { turn_id, to_turn_id, before, after, restored } = fact;
    this.#statements.insert({
      thread_id: threadId,
      turn_id,
      prompt_id: "",
      seq,
      last_seq: seq,
      status: "ended",
      prompt: [],
      prompt_seq: seq,
      queued_at: ts,
      started_at: ts,
      ended_at: ts,
      checkpoint: { before, after, files_changed: restored.length, not_kept: [], notice: null },
      restored_to: to_turn_id,
    });
    this.#changed.add(threadId, turn_id);
  }

  flush(state: ThreadState, changes: Change[]): void {
    this.#changed.flush(state.record.id, changes);
  }

  /** Forgets what changed: the window was not stored. */
  reset(): void {
    this.#changed.reset();
  }

  #insert({ threadId, seq, ts }: LoggedEvent, turnId: string, promptId: string, prompt: readonly ContentBlock[]): void {
    this.#statements.insert({
      thread_id: threadId,
      turn_id: turnId,
      prompt_id: promptId,
      seq,
      last_seq: seq,
      status: "queued",
      prompt,
      prompt_seq: seq,
      queued_at: ts,
    });
  }
}

function readTokens(usage: JsonObject | null, name: string): number | null {
  const value = usage?.[name];
  return typeof value === "number" && Number.isSafeInteger(value) ? value : null;
}
