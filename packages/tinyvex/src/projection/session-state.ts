// What a thread knows beside its timeline: plan, modes, config options, commands, usage. Written and published only when
// it really differs: agents say the same commands again and again.
import type { DatabaseSync } from "node:sqlite";
import type { Change, Json, JsonObject } from "@signalbox/protocol";
import { isJsonObject } from "@signalbox/protocol";
import { integer, textOrNull } from "../database/row.ts";
import type { LoggedEvent } from "../log/event-log.ts";
import { toPlanRow, toStateRow } from "../queries/rows.ts";
import type { ThreadState } from "./thread-state.ts";
import { Touched } from "./touched.ts";

type StateColumn = "current_mode_id" | "modes_json" | "config_options_json" | "available_commands_json" | "usage_json";

export class SessionState {
  readonly #plan;
  readonly #savePlan;
  readonly #state;
  readonly #ensure;
  readonly #set;
  readonly #setCost;
  readonly #touched = new Touched();

  constructor(database: DatabaseSync) {
    this.#plan = database.prepare("SELECT * FROM plans WHERE thread_id = ?");
    this.#savePlan = database.prepare(
      `INSERT INTO plans(thread_id, entries_json, last_seq) VALUES (?, ?, ?)
       ON CONFLICT(thread_id) DO UPDATE SET entries_json = excluded.entries_json, last_seq = excluded.last_seq`,
    );
    this.#state = database.prepare("SELECT * FROM thread_state WHERE thread_id = ?");
    this.#ensure = database.prepare("INSERT OR IGNORE INTO thread_state(thread_id, last_seq) VALUES (?, ?)");
    this.#setCost = database.prepare("UPDATE thread_state SET session_cost = ? WHERE thread_id = ?");
    const set = (column: StateColumn) =>
      database.prepare(`UPDATE thread_state SET ${column} = ?, last_seq = ? WHERE thread_id = ?`);
    this.#set = {
      current_mode_id: set("current_mode_id"),
      modes_json: set("modes_json"),
      config_options_json: set("config_options_json"),
      available_commands_json: set("available_commands_json"),
      usage_json: set("usage_json"),
    };
  }

  setPlan(event: LoggedEvent, entries: readonly Json[]): void {
    this.#savePlan.run(event.threadId, JSON.stringify(entries), event.seq);
    this.#touched.add(event.threadId, "plan");
  }

  setMode(state: ThreadState, event: LoggedEvent, modeId: string): void {
    this.#write(event, "current_mode_id", modeId);
    if (state.record.current_mode_id === modeId) return;
    state.record.current_mode_id = modeId;
    state.listed = true;
  }

  set(event: LoggedEvent, column: Exclude<StateColumn, "current_mode_id" | "usage_json">, value: Json): void {
    this.#write(event, column, JSON.stringify(value));
  }

  /** Takes the session's cost so far; gives what was spent since it was last told. */
  takeCost(event: LoggedEvent, total: number): number {
    const { threadId, seq } = event;
    this.#ensure.run(threadId, seq);
    const row = this.#state.get(threadId);
    const known = row === undefined ? 0 : Number(row["session_cost"]);
    this.#setCost.run(total, threadId);
    // A total that went down has begun anew.
    return total >= known ? total - known : total;
  }

  /** Another session counts its cost from nothing. */
  resetCost(event: LoggedEvent): void {
    this.#setCost.run(0, event.threadId);
  }

  /** Joins what is new with what is known, so that a cost survives an update that does not carry one. */
  addUsage(event: LoggedEvent, usage: JsonObject): void {
    const row = this.#state.get(event.threadId);
    const source = row === undefined ? null : textOrNull(row, "usage_json");
    const known: Json = source === null ? null : JSON.parse(source);
    const carried = Object.fromEntries(Object.entries(usage).filter(([, value]) => value !== null));
    this.#write(event, "usage_json", JSON.stringify({ ...(isJsonObject(known) ? known : {}), ...carried }));
  }

  flush(state: ThreadState, changes: Change[]): void {
    const threadId = state.record.id;
    for (const stream of this.#touched.take(threadId)) {
      const row = stream === "plan" ? this.#plan.get(threadId) : this.#state.get(threadId);
      if (row === undefined) continue;
      const head = { type: "tinyvex.update", thread_id: threadId, seq: integer(row, "last_seq") } as const;
      changes.push(
        stream === "plan"
          ? { ...head, stream: "plan", row: toPlanRow(row) }
          : { ...head, stream: "state", row: toStateRow(row) },
      );
    }
  }

  reset(): void {
    this.#touched.clear();
  }

  #write(event: LoggedEvent, column: StateColumn, value: string): void {
    const { threadId, seq } = event;
    this.#ensure.run(threadId, seq);
    const known = this.#state.get(threadId);
    if (known !== undefined && known[column] === value) return;
    this.#set[column].run(value, seq, threadId);
    this.#touched.add(threadId, "state");
  }
}
