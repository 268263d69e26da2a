// Reports what a rule would have decided about the questions in the register, so that a person can try it before adding it.
import { homedir } from "node:os";
import type { PermissionRow, RuleDifference, RuleTestRow, RunQuery, ToolCallRow } from "@signalbox/protocol";
import { decide, describeSubject, parseRule, type Rule, ruleProblem, splitRule } from "@signalbox/rules";
import { HostError } from "../data/host-error.ts";

type Queries = RunQuery<"threads.list" | "permissions.list" | "tool_calls.list">;

const dayMs = 86_400_000;
const limit = 1000;

/** `text` is `allow MATCH`, `ask MATCH` or `deny MATCH`. Throws a HostError when it is not. Questions about no tool call are left out. */
export async function testRule(query: Queries, text: string, days?: number): Promise<RuleTestRow> {
  const rule = readRule(text);
  const since = days === undefined ? 0 : Date.now() - days * dayMs;
  const counts = { allow: 0, deny: 0, ask: 0 };
  const differs: RuleDifference[] = [];
  for await (const { permission, call, agentId, cwd } of listQuestions(query, since)) {
    const { thread_id, permission_id } = permission;
    const { name, kind, title, raw_input: rawInput, locations, content, meta: _meta } = call;
    const described = { ...(name === null ? {} : { name }), kind, title, rawInput, locations, content, _meta };
    const place = { agentId, threadId: thread_id, cwd, home: homedir() };
    const would = decide([rule], describeSubject(described, place)).decision;
    counts[would] += 1;
    const was = readAnswer(permission);
    if (was !== undefined && would !== "ask" && would !== was)
      differs.push({ thread_id, permission_id, title, was, would });
  }
  return { rule: text, would_allow: counts.allow, would_deny: counts.deny, would_ask: counts.ask, differs };
}

function readRule(text: string): Rule {
  const { decision, match } = splitRule(text);
  if (decision === undefined)
    throw new HostError("bad_request", `"${text.slice(0, 80)}" does not begin with allow, ask or deny.`);
  const terms = parseRule(match);
  if (terms === undefined) throw new HostError("bad_request", ruleProblem(match) ?? "This is not a rule.");
  return { decision, terms };
}

/** A person's yes or no; undefined where nobody gave one. */
function readAnswer({ status, decided_by }: PermissionRow): "allow" | "deny" | undefined {
  if (decided_by !== "person") return undefined;
  return status === "allowed" ? "allow" : status === "denied" ? "deny" : undefined;
}

interface AskedCall {
  readonly permission: PermissionRow;
  readonly call: ToolCallRow;
  readonly agentId: string;
  readonly cwd: string;
}

async function* listQuestions(query: Queries, since: number): AsyncGenerator<AskedCall> {
  for (const archived of [false, true]) {
    const threads = readPages((cursor) => query("threads.list", { archived, limit, cursor }));
    for await (const { id: thread_id, agent_id: agentId, cwd, updated_at } of threads) {
      if (updated_at < since) continue;
      const asked: PermissionRow[] = [];
      for await (const permission of readPages((cursor) => query("permissions.list", { thread_id, limit, cursor })))
        if (permission.created_at >= since) asked.push(permission);
      if (asked.length === 0) continue;
      const calls = new Map<string | null, ToolCallRow>();
      for await (const call of readPages((cursor) => query("tool_calls.list", { thread_id, limit, cursor })))
        calls.set(call.tool_call_id, call);
      for (const permission of asked) {
        const call = calls.get(permission.tool_call_id);
        if (call !== undefined) yield { permission, call, agentId, cwd };
      }
    }
  }
}

interface Page<Row> {
  readonly rows: readonly Row[];
  readonly next_cursor?: string;
}

async function* readPages<Row>(read: (cursor: string | undefined) => Promise<Page<Row>>): AsyncGenerator<Row> {
  let cursor: string | undefined;
  do {
    const page = await read(cursor);
    yield* page.rows;
    cursor = page.next_cursor;
  } while (cursor !== undefined);
}
