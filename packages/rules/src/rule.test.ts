import { describe, expect, it } from "vitest";
import { formatRule, maxPatternLength, maxWildcards, parseRule, readRuleEntry, ruleProblem } from "./rule.ts";

describe("a rule as text", () => {
  it.each([
    "all",
    "kind:edit",
    "command:git *",
    "kind:edit,path:src/**",
    "agent:demo,command:echo a\\,b",
    "host:*.org",
  ])("%s means the same after parsing and writing", (text) => {
    expect(formatRule(parseRule(text) ?? [])).toBe(text);
    expect(ruleProblem(text)).toBeUndefined();
  });

  it.each(["", "kind:", "kindedit", "kind:edit,", "colour:red", "ALL"])("%j is no rule", (text) => {
    expect(parseRule(text)).toBeUndefined();
    expect(ruleProblem(text)).toContain("A rule is");
  });

  it("bounds what matching can cost", () => {
    expect(ruleProblem(`command:${"*a".repeat(maxWildcards + 1)}`)).toContain("wildcards");
    expect(ruleProblem(`command:*${"a".repeat(maxPatternLength)}`)).toContain("characters");
    expect(ruleProblem(`command:${"a".repeat(maxPatternLength + 1)}`)).toBeUndefined();
    expect(ruleProblem(`command:${"a".repeat(60_000)}`)).toContain("characters");
    expect(ruleProblem(`path:${"**/".repeat(maxWildcards)}a`)).toBeUndefined();
  });
});

describe("an entry of a config file", () => {
  it.each([
    [{ allow: "command:git *" }, { decision: "allow", match: "command:git *" }],
    [{ deny: "path:**/.env" }, { decision: "deny", match: "path:**/.env" }],
    [
      { decision: "ask", kind: "edit", path: "a,b/*" },
      { decision: "ask", match: "kind:edit,path:a\\,b/*" },
    ],
    [{ decision: "deny" }, { decision: "deny", match: "all" }],
  ])("%j is a rule", (entry, rule) => {
    expect(readRuleEntry(entry)).toEqual(rule);
  });

  it.each([
    [undefined, "one of"],
    [["allow"], "one of"],
    [{}, "one of"],
    [{ permit: "all" }, "one of"],
    [{ allow: "all", deny: "all" }, "one of"],
    [{ allow: "all", kind: "edit" }, "one of"],
    [{ allow: "nonsense" }, "is no rule"],
    [{ decision: "permit" }, 'not "permit"'],
    [{ decision: "allow", tol: "bash" }, 'no "tol"'],
    [{ decision: "allow", tool: "" }, "empty"],
    [{ decision: "allow", tool: 7 }, "must be a text"],
    [{ decision: "deny", command: "*a".repeat(11) }, "wildcards"],
  ])("%j is refused: %s", (entry, words) => {
    expect(readRuleEntry(entry)).toContain(words);
  });
});
