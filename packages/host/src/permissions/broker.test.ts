import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Fact } from "@signalbox/protocol";
import { subjectOf } from "@signalbox/rules";
import type { Entry, Register } from "@signalbox/tinyvex";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { PermissionBroker, type Question } from "./broker.ts";
import { RuleStore } from "./rule-store.ts";

let folder: string;
let facts: Fact[];
let problems: string[];
let rules: RuleStore;
let broker: PermissionBroker;
const append = (_: string, entry: Entry) => entry.type === "fact" && facts.push(entry.fact);
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "signalbox-broker-"));
  facts = [];
  problems = [];
  rules = new RuleStore(join(folder, "permissions.json"), (problem) => problems.push(problem));
  broker = new PermissionBroker({ append } as unknown as Register, rules, 60_000);
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(folder, { recursive: true, force: true });
});

const options = [
  { optionId: "always", name: "Always", kind: "allow_always" },
  { optionId: "yes", name: "Yes", kind: "allow_once" },
  { optionId: "no", name: "No", kind: "reject_once" },
];

function question(command: string, threadId = "t1"): Question {
  const call = { name: "bash", kind: "execute", rawInput: { command } };
  const subject = subjectOf(call, { agentId: "demo", threadId, cwd: "/w" });
  return { subject, toolCall: { toolCallId: "c1", title: command }, options };
}

const never = new AbortController().signal;
const openIds = () => {
  const decided = new Set(facts.flatMap((fact) => (fact.type === "permission_decided" ? [fact.permission_id] : [])));
  return facts
    .flatMap((fact) => (fact.type === "permission_requested" ? [fact.permission_id] : []))
    .filter((id) => !decided.has(id));
};
const lastDecision = () => facts.findLast((fact) => fact.type === "permission_decided");

describe("questions and answers", () => {
  it("a rule answers immediately, with the agent's once option, and is named in the register", async () => {
    rules.addFixed([{ decision: "allow", match: "command:npm *", scope: null }], "user_config");
    expect(await broker.ask(question("npm test"), never)).toEqual({
      status: "allowed",
      optionId: "yes",
      decidedBy: "rule",
    });
    expect(lastDecision()).toMatchObject({ status: "allowed", decided_by: "rule", rule: "command:npm *" });
    expect(rules.list()[0]).toMatchObject({ match_count: 1, last_match: { text: "npm test", thread_id: "t1" } });
  });

  it("the first answer of a person counts; the second one is told that it came too late", async () => {
    const answer = broker.ask(question("ls"), never);
    const [id = ""] = openIds();
    broker.respond("t1", id, "yes");
    expect(await answer).toMatchObject({ status: "allowed", optionId: "yes", decidedBy: "person" });
    expect(() => broker.respond("t1", id, "no")).toThrow("not open any more");
    expect(facts.filter((fact) => fact.type === "permission_decided")).toHaveLength(1);
  });

  it("refuses an option the agent did not offer, and another thread's answer, and goes on waiting", async () => {
    const answer = broker.ask(question("ls"), never);
    const [id = ""] = openIds();
    expect(() => broker.respond("t1", id, "maybe")).toThrow("offered no option maybe");
    expect(() => broker.respond("t2", id, "yes")).toThrow("not open any more");
    broker.respond("t1", id, "no");
    expect(await answer).toMatchObject({ status: "denied", optionId: "no" });
  });

  it("a remembered answer settles what waits for the same thing, in its scope, and is in a readable file", async () => {
    const first = broker.ask(question("make"), never);
    const same = broker.ask(question("make", "t2"), never);
    const other = broker.ask(question("make clean"), never);
    broker.respond("t1", openIds()[0] ?? "", "yes", "folder");
    expect(await first).toMatchObject({ status: "allowed" });
    expect(await same).toMatchObject({ status: "allowed" });
    expect(openIds()).toHaveLength(1);
    broker.respond("t1", openIds()[0] ?? "", "no", "always");
    expect(await other).toMatchObject({ status: "denied" });
    expect(JSON.parse(readFileSync(join(folder, "permissions.json"), "utf8"))).toMatchObject([
      { decision: "allow", match: "agent:demo,command:make", scope: { type: "folder", id: "/w" } },
      { decision: "deny", match: "agent:demo,command:make clean", scope: null },
    ]);
    const reopened = new RuleStore(join(folder, "permissions.json"), () => {});
    expect(reopened.decide(question("make").subject).decision).toBe("allow");
  });

  it("[R6] denies a question without an answer when the time is up", async () => {
    vi.useFakeTimers();
    const answer = broker.ask(question("ls"), never);
    vi.advanceTimersByTime(60_001);
    expect(await answer).toEqual({ status: "timed_out", optionId: "no", decidedBy: "timeout" });
  });

  it("a cancelled turn takes its question back", async () => {
    const turn = new AbortController();
    const answer = broker.ask(question("ls"), turn.signal);
    turn.abort();
    expect(await answer).toEqual({ status: "cancelled", optionId: null, decidedBy: "cancel" });
    expect(await broker.ask(question("ls"), turn.signal)).toMatchObject({ status: "cancelled" });
  });

  it("an agent that offers no way to say no is told that the question was cancelled", async () => {
    rules.addFixed([{ decision: "deny", match: "all", scope: null }], "user_config");
    const onlyYes = { ...question("ls"), options: options.slice(0, 2) };
    expect(await broker.ask(onlyYes, never)).toEqual({ status: "denied", optionId: null, decidedBy: "rule" });
  });
});

describe("a damaged file of remembered answers", () => {
  const open = (text: string) => {
    writeFileSync(join(folder, "permissions.json"), text);
    return new RuleStore(join(folder, "permissions.json"), (problem) => problems.push(problem));
  };

  it("uses what can be read, reports the rest, and never reads a limit away", () => {
    const book = open(
      JSON.stringify([
        { decision: "allow", match: "command:ls", scope: null },
        { decision: "allow", match: "nonsense", scope: null },
        { decision: "allow", match: "all", scope: { type: "planet", id: "earth" } },
        { decision: "perhaps", match: "all" },
      ]),
    );
    expect(book.list().map((rule) => rule.match)).toEqual(["command:ls"]);
    expect(problems).toHaveLength(3);
  });

  it("uses nothing of a file that is not JSON", () => {
    expect(open("[{").list()).toEqual([]);
    expect(problems).toHaveLength(1);
  });

  it("is kept beside the new one when an answer is remembered", () => {
    const damaged = '[{"decision":"deny","match":"path:secret"},]';
    writeFileSync(join(folder, "permissions.json"), damaged);
    const book = new RuleStore(join(folder, "permissions.json"), () => {});
    book.remember({ decision: "allow", match: "kind:read", scope: null });
    expect(readFileSync(join(folder, "permissions.json.damaged"), "utf8")).toBe(damaged);
    expect(readFileSync(join(folder, "permissions.json"), "utf8")).toContain("kind:read");
  });
});

describe("a file of remembered answers that cannot be written", () => {
  it("is told, nothing is remembered, the question goes on waiting, and nothing lies around", async () => {
    const book = new RuleStore(join(folder, "missing/permissions.json"), () => {});
    const other = new PermissionBroker({ append } as unknown as Register, book, 60_000);
    const answer = other.ask(question("ls"), never);
    const [id = ""] = openIds();
    expect(() => other.respond("t1", id, "yes", "always")).toThrow(/cannot be written, so no rule was changed/);
    expect(book.list()).toEqual([]);
    other.respond("t1", id, "yes");
    expect(await answer).toMatchObject({ status: "allowed" });
  });
});
