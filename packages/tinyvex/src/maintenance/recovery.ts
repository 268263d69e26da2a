// What a process that died left open is closed at the next opening, by facts in the log like any other, so that a rebuild
// comes to the same rows: turns are interrupted, terminals have ended, questions are cancelled.
import type { DatabaseSync } from "node:sqlite";
import type { Fact } from "@signalbox/protocol";
import { text, textOrNull } from "../database/row.ts";

export const INTERRUPTION = "Signalbox stopped while this was running.";

export interface OpenThing {
  readonly threadId: string;
  readonly fact: Fact;
}

export function factsAboutOpenThings(database: DatabaseSync): OpenThing[] {
  const turns = database.prepare(
    "SELECT thread_id, turn_id FROM turns WHERE status = 'running' ORDER BY thread_id, seq",
  );
  const terminals = database.prepare(
    "SELECT thread_id, terminal_id FROM terminals WHERE ended_at IS NULL ORDER BY thread_id, seq",
  );
  const permissions = database.prepare(
    "SELECT thread_id, permission_id FROM permissions WHERE status = 'pending' ORDER BY thread_id, seq",
  );
  const rest = database.prepare(
    `SELECT id, rest_status FROM threads WHERE deleting = 0 AND id IN (
       SELECT thread_id FROM messages WHERE partial = 1 UNION SELECT thread_id FROM tool_calls WHERE ended_at IS NULL)`,
  );
  const running = turns.all();
  const interrupted = new Set(running.map((row) => text(row, "thread_id")));
  return [
    ...terminals.all().map((row) => ({
      threadId: text(row, "thread_id"),
      fact: { type: "terminal_ended", terminal_id: text(row, "terminal_id"), exit_code: null, signal: null } as const,
    })),
    ...running.map((row) => ({
      threadId: text(row, "thread_id"),
      fact: { type: "turn_interrupted", turn_id: text(row, "turn_id"), reason: INTERRUPTION } as const,
    })),
    // The end of a turn cancels its questions itself; these were asked outside one.
    ...permissions
      .all()
      .filter((row) => !interrupted.has(text(row, "thread_id")))
      .map((row) => ({
        threadId: text(row, "thread_id"),
        fact: {
          type: "permission_decided",
          permission_id: text(row, "permission_id"),
          status: "cancelled",
          option_id: null,
          decided_by: "restart",
          rule: null,
        } as const,
      })),
    // Text or tool calls that were open without a turn: only the end of their session closes them.
    ...rest
      .all()
      .filter((row) => !interrupted.has(text(row, "id")))
      .map((row) => ({
        threadId: text(row, "id"),
        fact: {
          type: "session_ended",
          status: restStatus(textOrNull(row, "rest_status")),
          reason: INTERRUPTION,
        } as const,
      })),
  ];
}

function restStatus(status: string | null): "idle" | "closed" | "failed" {
  return status === "closed" || status === "failed" ? status : "idle";
}
