// The state of a thread beside its timeline: plan, modes, config options, commands, usage. Written and published only when it really differs, because
// agents send the same commands again and again.
import type { DatabaseSync } from "node:sqlite";
import type { Change, JsonObject, PlanWithId, RowOf, ThreadStateRow } from "@signalbox/protocol";
import { isJsonObject, planColumns, stateColumns, withPlan } from "@signalbox/protocol";
import { buildInsert, buildSelect, buildUpdate, pickColumns } from "../database/table.ts";
import { storedPlans, storedStates } from "../database/tables.ts";
import type { LoggedEvent } from "../log/event-log.ts";
import { ChangedRows } from "./changed-rows.ts";
import type { ThreadState } from "./thread-state.ts";

type StateFields = Omit<ThreadStateRow, "thread_id">;

const ofThread = "thread_id = ?";

export class SessionState {
  readonly #plans;
  readonly #states;
  readonly #changedPlans;
  readonly #changedStates;

  constructor(database: DatabaseSync) {
    const findPlan = buildSelect(database, storedPlans, `WHERE ${ofThread}`);
    const findState = buildSelect(database, storedStates, `WHERE ${ofThread}`);
    this.#plans = {
      find: findPlan,
      insert: buildInsert(database, storedPlans, "OR IGNORE"),
      update: buildUpdate(database, storedPlans, ["entries", "by_id", "last_seq"], ofThread),
    };
    this.#states = {
      find: findState,
      insert: buildInsert(database, storedStates, "OR IGNORE"),
      setCost: buildUpdate(database, storedStates, ["session_cost"], ofThread),
      update: buildUpdate(
        database,
        storedStates,
        ["current_mode_id", "modes", "config_options", "available_commands", "usage", "steering", "more", "last_seq"],
        ofThread,
      ),
    };
    this.#changedPlans = new ChangedRows(
      (threadId) => findPlan(threadId)[0],
      (head, row) => ({ ...head, stream: "plan", row: pickColumns(planColumns, row) }),
    );
    this.#changedStates = new ChangedRows(
      (threadId) => findState(threadId)[0],
      (head, row) => ({ ...head, stream: "state", row: pickColumns(stateColumns, row) }),
    );
  }

  /** Replaces one plan; without entries it is gone. A thread shows the entries of all its plans, in the order in which the plans came. */
  setPlan({ threadId, seq }: LoggedEvent, changed: PlanWithId): void {
    const by_id = withPlan(this.#plans.find(threadId)[0]?.by_id ?? [], changed);
    const plan = { thread_id: threadId, entries: by_id.flatMap(({ entries }) => entries), by_id, last_seq: seq };
    if (this.#plans.insert(plan) === null) this.#plans.update(plan, threadId);
    this.#changedPlans.add(threadId, threadId);
  }

  setMode(state: ThreadState, event: LoggedEvent, modeId: string): void {
    const { modes } = this.#ensure(event);
    const known = isJsonObject(modes) ? { modes: { ...modes, currentModeId: modeId } } : {};
    this.set(event, { current_mode_id: modeId, ...known });
    if (state.record.current_mode_id === modeId) return;
    state.record.current_mode_id = modeId;
    state.listed = true;
  }

  set(event: LoggedEvent, values: Partial<StateFields>): void {
    const { threadId, seq } = event;
    const known = this.#ensure(event);
    const next = { ...known, ...values };
    if (JSON.stringify(next) === JSON.stringify(known)) return;
    this.#states.update({ ...next, last_seq: seq }, threadId);
    this.#changedStates.add(threadId, threadId);
  }

  /** Records the session's cost so far; gives what was spent since the last report. */
  recordCost(event: LoggedEvent, total: number): number {
    const known = this.#ensure(event).session_cost;
    this.#states.setCost({ session_cost: total }, event.threadId);
    // A total that went down has begun anew.
    return total >= known ? total - known : total;
  }

  /** Another session counts its cost from nothing. */
  resetCost({ threadId }: LoggedEvent): void {
    this.#states.setCost({ session_cost: 0 }, threadId);
  }

  /** Joins what is new with what is known, so that a cost survives an update that does not carry one. */
  addUsage(event: LoggedEvent, usage: JsonObject): void {
    const carried = Object.fromEntries(Object.entries(usage).filter(([, value]) => value !== null));
    this.set(event, { usage: { ...this.#ensure(event).usage, ...carried } });
  }

  flush(state: ThreadState, changes: Change[]): void {
    this.#changedPlans.flush(state.record.id, changes);
    this.#changedStates.flush(state.record.id, changes);
  }

  reset(): void {
    this.#changedPlans.reset();
    this.#changedStates.reset();
  }

  #ensure({ threadId, seq }: LoggedEvent): RowOf<typeof storedStates.columns> {
    this.#states.insert({ thread_id: threadId, steering: false, session_cost: 0, last_seq: seq });
    const [known] = this.#states.find(threadId);
    if (known === undefined) throw new Error(`the state of thread ${threadId} was not stored`);
    return known;
  }
}
