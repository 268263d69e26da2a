import { describe, expect, it } from "vitest";
import { decide } from "./decide.ts";
import { readEscalation } from "./escalation.ts";
import { isRuleDecision, parseRule } from "./rule.ts";
import { describeSubject, followLinks } from "./subject.ts";
import { suggestRule } from "./suggest-rule.ts";
import { widerRules } from "./wider-rules.ts";

const subject = (command: string, escalate: unknown) =>
  describeSubject({ kind: "execute", rawInput: { command, escalate } }, { agentId: "a", threadId: "t", cwd: "/w" });

const reason = "it must";
const outside = { reason };
const network = { reason, to: "network" };
const write = (folder: string) => ({ reason, to: "write", folder });

describe("rules about a command that asks for more rights", () => {
  it.each([
    ["allow kind:execute", network, "ask"],
    ["allow escalate:*", write("/srv"), "allow"],
    ["allow escalate:network", network, "allow"],
    ["allow escalate:network", outside, "ask"],
    ["allow escalate:network", undefined, "ask"],
    ["allow escalate:write /srv,command:make", write("/srv"), "allow"],
    ["allow escalate:write /srv,command:make", write("/srv/../etc"), "ask"],
    ["allow escalate:write /w/sub,command:make", write("sub"), "allow"],
    ["allow all + deny escalate:*", network, "deny"],
    ["allow all + deny escalate:*", undefined, "allow"],
    ["allow all + ask escalate:outside", undefined, "allow"],
    // Badly written, it counts as the most that could be meant.
    ["allow all", true, "ask"],
    ["allow escalate:network", { to: "network" }, "ask"],
    ["allow escalate:outside", { to: "the moon" }, "allow"],
    ["allow all", false, "allow"],
  ])("%s, and `make` with %j: %s", (written, escalate, expected) => {
    const rules = written.split(" + ").map((rule) => {
      const [decision = "", match = ""] = rule.split(/ (.*)/s);
      const terms = parseRule(match);
      if (!isRuleDecision(decision) || terms === undefined) throw new Error(`${rule} is no rule`);
      return { decision, terms };
    });
    expect(decide(rules, subject("make", escalate)).decision).toBe(expected);
  });

  it("are remembered with what it asked for, and never wider", () => {
    const asked = subject("git push origin main", outside);
    expect(suggestRule(asked)?.match).toBe("agent:a,escalate:outside,command:git push origin main");
    expect(widerRules(asked)).toEqual([]);
  });

  it("see where a link leads", () => {
    const followed = followLinks(subject("make", write("/w/link")), (path) => (path === "/w/link" ? "/etc" : path));
    expect(followed.escalation?.folder).toBe("/etc");
  });
});

it.each([
  [{ reason }, { to: "outside", reason }],
  [write("/srv"), { to: "write", folder: "/srv", reason }],
  [{ to: "outside" }, "escalate needs a reason, which the person reads"],
  [{ reason: " " }, "escalate needs a reason, which the person reads"],
  [{ reason, to: "write" }, "escalate to write needs a folder"],
  [{ reason, to: "up" }, '`to` of escalate is "outside", "network" or "write", not "up"'],
])("reads %j", (written, expected) => {
  expect(readEscalation(written)).toEqual(expected);
});
