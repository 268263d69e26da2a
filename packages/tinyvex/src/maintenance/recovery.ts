// Closes what a process that died left open, when the register is opened again: turns are interrupted, terminals have ended, questions are
// cancelled, no agent is starting. It does so by facts in the log, so that a rebuild gives the same rows.
import type { DatabaseSync } from "node:sqlite";
import type { Fact } from "@signalbox/protocol";
import { type Row, text, textOrNull } from "../database/row.ts";
import { cancelled } from "../projection/questions.ts";

const interruption = "Signalbox stopped while this was running.";

interface OpenThing {
  readonly threadId: string;
  readonly fact: Fact;
}

/** Of one thread, or of all whose rows are complete: a thread that is being rebuilt shows what was open at some time in the past. */
export function factsAboutOpenThings(database: DatabaseSync, threadId: string | null = null): OpenThing[] {
  const wanted = threadId === null ? "t.id NOT IN (SELECT thread_id FROM stale_threads)" : "t.id = ?";
  const values = threadId === null ? [] : [threadId];
  const open = (table: string, condition: string): Row[] =>
    database
      .prepare(
        `SELECT o.*, t.rest_status FROM ${table} AS o JOIN threads AS t ON t.id = o.thread_id
         WHERE ${condition} AND ${wanted} ORDER BY o.thread_id, o.seq`,
      )
      .all(...values);
  const turns = open("turns", "o.status = 'running'");
  const interrupted = new Set(turns.map(readThreadId));
  // The end of a turn closes its questions, text and tool calls itself; these were open outside one.
  const outside = (rows: Row[]) => rows.filter((row) => !interrupted.has(readThreadId(row)));
  const rest = [...outside(open("messages", "o.partial = 1")), ...outside(open("tool_calls", "o.ended_at IS NULL"))];
  const sessions = new Map(rest.map((row) => [readThreadId(row), row]));
  const starting = database.prepare(`SELECT id FROM threads AS t WHERE starting = 1 AND ${wanted}`).all(...values);
  return [
    ...starting.map(startFailed),
    ...open("terminals", "o.ended_at IS NULL").map(terminalEnded),
    ...turns.map(turnInterrupted),
    ...outside(open("permissions", "o.status = 'pending'")).map((row) =>
      questionCancelled(row, { permission_id: text(row, "permission_id") }),
    ),
    ...outside(open("elicitations", "o.status = 'pending'")).map((row) =>
      questionCancelled(row, { elicitation_id: text(row, "elicitation_id") }),
    ),
    ...[...sessions.values()].map(sessionEnded),
  ];
}

function startFailed(row: Row): OpenThing {
  const reason = "Signalbox stopped while the agent was starting.";
  return { threadId: text(row, "id"), fact: { type: "session_start_failed", reason } };
}

function terminalEnded(row: Row): OpenThing {
  const terminal_id = text(row, "terminal_id");
  return { threadId: readThreadId(row), fact: { type: "terminal_ended", terminal_id, exit_code: null, signal: null } };
}

function turnInterrupted(row: Row): OpenThing {
  const turn_id = text(row, "turn_id");
  return { threadId: readThreadId(row), fact: { type: "turn_interrupted", turn_id, reason: interruption } };
}

function questionCancelled(row: Row, question: Parameters<typeof cancelled>[0]): OpenThing {
  return { threadId: readThreadId(row), fact: cancelled(question, "restart", interruption) };
}

function sessionEnded(row: Row): OpenThing {
  const rested = textOrNull(row, "rest_status");
  const status = rested === "closed" || rested === "failed" ? rested : "idle";
  return { threadId: readThreadId(row), fact: { type: "session_ended", status, reason: interruption } };
}

function readThreadId(row: Row): string {
  return text(row, "thread_id");
}
