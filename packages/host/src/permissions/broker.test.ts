import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Fact } from "@signalbox/protocol";
import { describeSubject } from "@signalbox/rules";
import type { Entry, Register } from "@signalbox/tinyvex";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type GivenAnswer, PermissionBroker, type Question } from "./broker.ts";
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
  const subject = describeSubject(call, { agentId: "demo", threadId, cwd: "/w" });
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
  it("what the sandbox would refuse is denied with the reason, whatever the rules allow, and no one is asked", async () => {
    rules.addFixed([{ decision: "allow", match: "all", scope: null }], "user_config");
    const refused = { ...question("touch x"), refused: "/etc belongs to the system" };
    expect(await broker.ask(refused, never)).toMatchObject({ status: "denied", optionId: "no", decidedBy: "sandbox" });
    expect(lastDecision()).toMatchObject({ status: "denied", decided_by: "sandbox", comment: refused.refused });
    expect(openIds()).toEqual([]);
  });

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
    broker.respond({ threadId: "t1", permissionId: id, optionId: "yes" });
    expect(await answer).toMatchObject({ status: "allowed", optionId: "yes", decidedBy: "person" });
    expect(() => broker.respond({ threadId: "t1", permissionId: id, optionId: "no" })).toThrow("not open any more");
    expect(facts.filter((fact) => fact.type === "permission_decided")).toHaveLength(1);
  });

  it("refuses an option the agent did not offer, and another thread's answer, and goes on waiting", async () => {
    const answer = broker.ask(question("ls"), never);
    const [id = ""] = openIds();
    expect(() => broker.respond({ threadId: "t1", permissionId: id, optionId: "maybe" })).toThrow(
      "offered no option maybe",
    );
    expect(() => broker.respond({ threadId: "t2", permissionId: id, optionId: "yes" })).toThrow("not open any more");
    broker.respond({ threadId: "t1", permissionId: id, optionId: "no" });
    expect(await answer).toMatchObject({ status: "denied", optionId: "no" });
  });

  it("a remembered answer settles what waits for the same thing, in its scope, and is in a readable file", async () => {
    const first = broker.ask(question("make"), never);
    const same = broker.ask(question("make", "t2"), never);
    const other = broker.ask(question("make clean"), never);
    broker.respond({ threadId: "t1", permissionId: openIds()[0] ?? "", optionId: "yes", remember: "folder" });
    expect(await first).toMatchObject({ status: "allowed" });
    expect(await same).toMatchObject({ status: "allowed" });
    expect(openIds()).toHaveLength(1);
    broker.respond({ threadId: "t1", permissionId: openIds()[0] ?? "", optionId: "no", remember: "always" });
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

describe("an answer that is remembered", () => {
  const ask = (command: string, threadId = "t1") => broker.ask(question(command, threadId), never);
  const answer = (given: Partial<GivenAnswer> = {}) =>
    broker.respond({ threadId: "t1", permissionId: openIds()[0] ?? "", optionId: "yes", ...given });

  it("is ours: the agent gets its once, also where its own always was chosen", async () => {
    const asked = ask("make");
    answer({ optionId: "always", remember: "always" });
    expect(await asked).toMatchObject({ status: "allowed", optionId: "yes" });
  });

  it("of the agent's own always holds in the thread, whatever becomes of the agent", async () => {
    const asked = ask("make");
    answer({ optionId: "always" });
    expect(await asked).toMatchObject({ optionId: "always" });
    expect(rules.list()).toMatchObject([{ match: "agent:demo,command:make", scope: { type: "thread", id: "t1" } }]);
    expect(await ask("make")).toMatchObject({ status: "allowed", decidedBy: "rule" });
  });

  it.each([
    ["Always allow bash: echo *", "command:echo *"],
    ["Always allow bash: echo 1", "command:echo 1"],
    ["Always allow bash: *", "command:echo 1"],
    ["Always allow bash: rm *", "command:echo 1"],
  ])("of the agent's own %j is the pattern only where its name ends in the usual one", async (name, match) => {
    const named = { ...question("echo 1"), options: [{ optionId: "always", name, kind: "allow_always" }] };
    const asked = broker.ask(named, never);
    answer({ optionId: "always" });
    await asked;
    expect(rules.list()).toMatchObject([{ match: `agent:demo,${match}`, scope: { type: "thread", id: "t1" } }]);
  });

  it("for the turn is forgotten when the turn ends, and never in the file", async () => {
    const asked = ask("make");
    answer({ remember: "turn" });
    await asked;
    expect(await ask("make")).toMatchObject({ decidedBy: "rule" });
    expect(rules.list()).toMatchObject([{ source: "turn" }]);
    expect(existsSync(join(folder, "permissions.json"))).toBe(false);
    broker.endTurn("t1");
    void ask("make");
    expect(openIds()).toHaveLength(1);
  });

  it("can be wider, as the question offers, and settles what the wider rule covers", async () => {
    const first = ask("npm run build");
    const second = ask("npm run test");
    expect(facts.find((fact) => fact.type === "permission_requested")).toMatchObject({
      rule_if_remembered: "agent:demo,command:npm run build",
      wider_rules: ["agent:demo,command:npm run *", "agent:demo,command:npm *"],
    });
    answer({ remember: "folder", rule: "allow agent:demo,command:npm run *" });
    expect(await first).toMatchObject({ status: "allowed", decidedBy: "person" });
    expect(await second).toMatchObject({ status: "allowed", decidedBy: "rule" });
  });

  it.each([
    ["command:ls", "does not allow what the question is about"],
    ["deny command:make", "the rule says deny"],
    ["make", "is no rule"],
  ])("by the rule %j is refused, and the question stays open", (rule, message) => {
    void ask("make");
    expect(() => answer({ remember: "always", rule })).toThrow(message);
    expect(openIds()).toHaveLength(1);
    expect(rules.list()).toEqual([]);
  });
});

describe("one answer for several questions", () => {
  it("answers those that are still open, each with its own option for this once, and writes no rule for them", async () => {
    const asked = [question("a"), question("b"), { ...question("c"), options: options.slice(0, 1) }];
    const answers = asked.map((each) => broker.ask(each, never));
    const [first = "", ...also] = openIds();
    broker.respond({ threadId: "t1", permissionId: first, optionId: "yes", also: [...also, "gone"] });
    expect(await Promise.all(answers.slice(0, 2))).toMatchObject([{ optionId: "yes" }, { optionId: "yes" }]);
    // The third would have been allowed for good.
    expect(openIds()).toEqual([also[1]]);
    expect(rules.list()).toEqual([]);
  });

  it("does not reach into other threads", () => {
    void broker.ask(question("a"), never);
    void broker.ask(question("a", "t2"), never);
    const [first = "", other = ""] = openIds();
    broker.respond({ threadId: "t1", permissionId: first, optionId: "yes", also: [other] });
    expect(openIds()).toEqual([other]);
  });
});

describe("a comment", () => {
  it("goes with a denial, and is in the register", async () => {
    const asked = broker.ask(question("npm i"), never);
    broker.respond({ threadId: "t1", permissionId: openIds()[0] ?? "", optionId: "no", comment: "write it yourself" });
    expect(await asked).toMatchObject({ status: "denied", comment: "write it yourself" });
    expect(lastDecision()).toMatchObject({ comment: "write it yourself" });
  });

  it("does not go with a permission", () => {
    void broker.ask(question("npm i"), never);
    const given = { threadId: "t1", permissionId: openIds()[0] ?? "", optionId: "yes", comment: "but" };
    expect(() => broker.respond(given)).toThrow("goes with a denial");
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
    expect(() => other.respond({ threadId: "t1", permissionId: id, optionId: "yes", remember: "always" })).toThrow(
      /cannot be written, so no rule was changed/,
    );
    expect(book.list()).toEqual([]);
    other.respond({ threadId: "t1", permissionId: id, optionId: "yes" });
    expect(await answer).toMatchObject({ status: "allowed" });
  });
});
