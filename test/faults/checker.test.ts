// The checker sees: each damage of a real register, of a client's log or of the machine is counted in its column, and in no other.
import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import { endTurn, fact, says, startTurn, toolCall, toolUpdate } from "../../packages/tinyvex/src/testing/entries.ts";
import { temporaryRegister } from "../../packages/tinyvex/src/testing/temporary-register.ts";
import {
  columns,
  type Evidence,
  type Findings,
  type Frame,
  judgeRegister,
  judgeRemains,
  type LogEntry,
} from "./checker.ts";

const words = ["p-t.0 ", "p-t.1 ", "p-t.2 "];

/** A register with one thread, the log of a client that was shown all of it, and what its agent noted. */
async function recordThread(): Promise<Evidence> {
  const { register, path, published } = await temporaryRegister();
  const { id: thread } = await register.createThread({ agent_id: "agent", cwd: "/" });
  startTurn(register, thread, "t", words.join(""));
  for (const word of words) {
    register.append(thread, says(word));
    await register.settled(thread);
  }
  register.append(thread, toolCall("c", { status: "in_progress" }));
  const asked = { permission_id: "q", tool_call: { toolCallId: "c" }, options: [] };
  register.append(thread, fact({ type: "permission_requested", ...asked }));
  const decided = { status: "allowed", option_id: "yes", decided_by: "person", rule: null, comment: null } as const;
  register.append(thread, fact({ type: "permission_decided", permission_id: "q", ...decided }));
  register.append(thread, toolUpdate("c", { status: "completed" }));
  endTurn(register, thread, "t");
  await register.settled(thread);
  await register.close();
  const sent = { id: "q1", control: "run.submit", prompt_id: "p-t", prompt: [{ text: words.join("") }] };
  const log: LogEntry[] = [
    { connected: true },
    { sent },
    { received: { type: "run.submitted", request_id: "q1", thread_id: thread, turn_id: "t" } },
    ...published.map((change) => ({ received: change as Frame })),
  ];
  return { register: path, threads: [thread], logs: [log], ran: ["p-t"] };
}

function countFindings(findings: Findings): Readonly<Record<string, number>> {
  return Object.fromEntries(
    columns.map((column) => [column, findings.get(column).length] as const).filter(([, count]) => count > 0),
  );
}

const changeText = (text: string) => `
  UPDATE acp_events SET payload = replace(payload, 'p-t.1 ', '${text}') WHERE kind = 'agent_message_chunk';
  UPDATE messages SET text = replace(text, 'p-t.1 ', '${text}') WHERE role = 'assistant'`;

const copyTurn = `
  INSERT INTO turns(thread_id, turn_id, prompt_id, seq, last_seq, status, stop_reason, ended_at)
  SELECT thread_id, 'u', prompt_id, seq, last_seq, status, stop_reason, ended_at FROM turns`;

it.each([
  ["shown, not stored", "a tool call is gone", "DELETE FROM tool_calls", 1],
  ["shown, not stored", "the end of a tool call is gone", "UPDATE tool_calls SET last_seq = seq", 1],
  ["shown, not stored", "a turn has another status", "UPDATE turns SET status = 'failed', error = '{}'", 1],
  ["shown, not stored", "a word is gone", changeText(""), 2],
  ["stored or run twice", "a prompt has two turns", copyTurn, 1],
  [
    "out of order",
    "an event is missing",
    "UPDATE acp_events SET seq = seq + 1 WHERE seq = (SELECT max(seq) FROM acp_events)",
    1,
  ],
  [
    "out of order",
    "a message is not what the log says",
    "UPDATE messages SET text = text || 'x' WHERE role = 'assistant'",
    1,
  ],
  ["open calls", "a tool call is open", "UPDATE tool_calls SET ended_at = NULL", 1],
  ["open calls", "a question is open", "UPDATE permissions SET status = 'pending', last_seq = 99", 1],
  ["open calls", "a message is open", "UPDATE messages SET partial = 1 WHERE role = 'assistant'", 1],
  ["turns without end", "a turn runs", "UPDATE turns SET status = 'running', ended_at = NULL, last_seq = 99", 1],
  ["turns without end", "a turn has no reason", "UPDATE turns SET stop_reason = NULL", 1],
])("counts as %s: %s", async (column, _, sql, atLeast) => {
  const evidence = await recordThread();
  expect(countFindings(judgeRegister(evidence))).toEqual({});
  const database = new DatabaseSync(evidence.register);
  database.exec(sql);
  database.close();
  const counts = countFindings(judgeRegister(evidence));
  expect(Object.keys(counts)).toEqual([column]);
  expect(counts[column]).toBeGreaterThanOrEqual(atLeast);
});

const isDelta = (entry: LogEntry) => "received" in entry && entry.received.text_delta === words[1];

it.each<[string, string, (evidence: Evidence) => Partial<Evidence>]>([
  ["stored or run twice", "an agent got a prompt twice", () => ({ ran: ["p-t", "p-t"] })],
  [
    "stored or run twice",
    "a refused prompt ran",
    ({ logs }) => ({ logs: logs.map((log) => log.map((entry) => refuse(entry))) }),
  ],
  [
    "stored or run twice",
    "a client was shown a text twice",
    ({ logs }) => ({ logs: logs.map((log) => log.flatMap((entry) => (isDelta(entry) ? [entry, entry] : [entry]))) }),
  ],
  [
    "out of order",
    "a client was not shown a text",
    ({ logs }) => ({ logs: logs.map((log) => log.filter((entry) => !isDelta(entry))) }),
  ],
  [
    "shown, not stored",
    "a client was shown another text",
    ({ logs }) => ({ logs: logs.map((log) => log.map((entry) => (isDelta(entry) ? misread(entry) : entry))) }),
  ],
])("counts as %s: %s", async (column, _, damage) => {
  const evidence = await recordThread();
  expect(Object.keys(countFindings(judgeRegister({ ...evidence, ...damage(evidence) })))).toEqual([column]);
});

function refuse(entry: LogEntry): LogEntry {
  const isAnswer = "received" in entry && entry.received.type === "run.submitted";
  return isAnswer ? { received: { type: "tinyvex.error", request_id: "q1" } } : entry;
}

function misread(entry: LogEntry): LogEntry {
  return "received" in entry ? { received: { ...entry.received, text_delta: "p-t.9 " } } : entry;
}

const usage = { retainedMegabytes: 26, residentMegabytes: 50, descriptors: 33 };
const clean = { hostEnds: [], processes: [], files: [], first: usage, now: usage };

it.each([
  ["host ended", { hostEnds: ["the host ended by itself: SIGBUS"] }],
  ["processes left", { processes: ["4711 node agent.ts"] }],
  ["files left", { files: ["data/x.tmp"] }],
  ["memory grown", { now: { ...usage, retainedMegabytes: 43 } }],
  ["memory grown", { now: { ...usage, residentMegabytes: 250 } }],
  ["descriptors grown", { now: { ...usage, descriptors: 60 } }],
])("counts as %s", (column, damage) => {
  expect(countFindings(judgeRemains(clean))).toEqual({});
  expect(countFindings(judgeRemains({ ...clean, ...damage }))).toEqual({ [column]: 1 });
});
