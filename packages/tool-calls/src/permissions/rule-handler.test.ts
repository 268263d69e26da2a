import { describe, expect, it } from "vitest";
import { findLocations } from "../describe/locations.ts";
import { deny, type PermissionDecision, type PermissionRequest } from "./permission.ts";
import { type PermissionRule, RulePermissionHandler } from "./rule-handler.ts";

const asked = deny("asked");

function decide(
  rules: PermissionRule[],
  request: Partial<PermissionRequest>,
): Promise<PermissionDecision> | PermissionDecision {
  const args = request.args ?? {};
  return new RulePermissionHandler(rules, { decide: () => asked }).decide({
    sessionId: "s",
    toolCallId: "c",
    tool: "bash",
    kind: "execute",
    title: "",
    args,
    locations: findLocations(args, "/project"),
    content: [],
    cwd: "/project",
    signal: new AbortController().signal,
    ...request,
  });
}

const denied = { allowed: false, message: expect.stringMatching(/was not run: a rule forbids it \(deny [^{}]+\)\./) };
const allowed = { allowed: true };

describe("RulePermissionHandler", () => {
  it("hands on what no rule covers, and what a rule says to ask", () => {
    expect(decide([], {})).toBe(asked);
    expect(decide([{ decision: "allow", tool: "read" }], {})).toBe(asked);
    expect(decide([{ decision: "ask", tool: "bash" }], {})).toBe(asked);
  });

  it("lets deny beat ask and ask beat allow, in any order", () => {
    const rules: PermissionRule[] = [{ decision: "allow" }, { decision: "ask" }, { decision: "deny" }];
    expect(decide(rules, {})).toEqual(denied);
    expect(decide(rules.toReversed(), {})).toEqual(denied);
    expect(decide(rules.slice(0, 2), {})).toBe(asked);
    expect(decide(rules.slice(0, 2).toReversed(), {})).toBe(asked);
    expect(decide(rules.slice(0, 1), {})).toEqual(allowed);
  });

  it("needs everything that a rule names to fit", () => {
    const rules: PermissionRule[] = [{ decision: "allow", tool: "write_*", kind: "edit", path: "src/**" }];
    const write = { tool: "write_file", kind: "edit", args: { path: "src/a.ts" } } as const;
    expect(decide(rules, write)).toEqual(allowed);
    expect(decide(rules, { ...write, tool: "rewrite_file" })).toBe(asked);
    expect(decide(rules, { ...write, kind: "execute" })).toBe(asked);
    expect(decide(rules, { ...write, args: { path: "test/a.ts" } })).toBe(asked);
  });

  it.each([
    ["bash", "bash", true],
    ["bash", "bashful", false],
    ["mcp__github__*", "mcp__github__create_issue", true],
    ["mcp__*__read", "mcp__x__read", true],
    ["mcp__*__read", "mcp__x__read_all", false],
    ["*", "anything\nat all", true],
    ["a.b", "axb", false],
  ])("the tool %s fits %s: %s", (tool, name, fits) => {
    expect(decide([{ decision: "allow", tool }], { tool: name })).toEqual(fits ? allowed : asked);
  });

  it.each([
    ["src/**", "src/a/b.ts", true],
    ["src/**", "src", true],
    ["src/**", "srcs/a", false],
    ["src/**", "src/../secret", false],
    ["src/**", "/project/src/a", true],
    ["src/**", "/elsewhere/src/a", false],
    ["src/*", "src/a", true],
    ["src/*", "src/a/b", false],
    ["**/*.ts", "a/b/c.ts", true],
    ["**/*.ts", "c.ts", true],
    ["**/*.ts", "/elsewhere/c.ts", false],
    ["/etc/**", "../etc/passwd", true],
    ["a?c", "abc", true],
    ["a?c", "a/c", false],
    ["a+(b)", "a+(b)", true],
  ])("the path %s fits %s: %s", (path, argument, fits) => {
    expect(decide([{ decision: "allow", path }], { args: { path: argument } })).toEqual(fits ? allowed : asked);
  });

  it("decides about commands and hosts by the same rules as the host of agents", () => {
    const rules: PermissionRule[] = [{ decision: "allow" }, { decision: "deny", command: "rm *" }];
    expect(decide(rules, { args: { command: "sudo rm x" } })).toEqual(denied);
    expect(decide(rules, { args: { command: "ls" } })).toEqual(allowed);
    const fetching: PermissionRule[] = [{ decision: "allow", kind: "fetch", host: "*.example.org" }];
    const fetch = (url: string) => decide(fetching, { tool: "fetch", kind: "fetch", args: { url } });
    expect(fetch("https://docs.example.org/")).toEqual(allowed);
    expect(fetch("https://example.com/")).toBe(asked);
  });

  it("takes no longer for a pattern of stars", () => {
    const stars = `${"*a".repeat(9)}*b`;
    const name = "a".repeat(4000);
    for (const rule of [{ tool: stars }, { path: stars }]) {
      expect(decide([{ decision: "deny", ...rule }], { tool: name, args: { path: name } })).toBe(asked);
      expect(decide([{ decision: "deny", ...rule }], { tool: `${name}b`, args: { path: `${name}b` } })).toEqual(denied);
    }
    expect(() => decide([{ decision: "deny", path: stars.replaceAll("*", "**") }], {})).toThrow("`**`");
  });

  it("allows only when every path fits, and denies when one does", () => {
    const args = { paths: ["src/a", "/etc/passwd"] };
    expect(decide([{ decision: "allow", path: "src/**" }], { args })).toBe(asked);
    expect(decide([{ decision: "allow" }, { decision: "deny", path: "/etc/**" }], { args })).toEqual(denied);
    expect(decide([{ decision: "allow", path: "src/**" }], { args: {} })).toBe(asked);
  });

  it("does not allow what it cannot be sure of", () => {
    const rules: PermissionRule[] = [{ decision: "allow", path: "src/**" }];
    const many = Array.from({ length: 300 }, (_, i) => `src/${i}`);
    expect(decide(rules, { args: { paths: many } })).toEqual(allowed);
    expect(decide(rules, { args: { paths: [...many, "/etc/passwd"] } })).toBe(asked);
    expect(decide(rules, { args: { path: "src/a", nested: { deep: [{ path: "/etc/passwd" }] } } })).toBe(asked);
    expect(decide(rules, { args: { path: "src/a", file: "x\n/../../../etc/passwd" } })).toBe(asked);
    expect(decide(rules, { args: { path: "src/a", file: `${"a/../".repeat(2000)}secret` } })).toBe(asked);
    expect(decide(rules, { args: { destination: "src/a", source: "secret" } })).toBe(asked);
  });

  it("denies by a path that no location shows", () => {
    const rules: PermissionRule[] = [{ decision: "allow" }, { decision: "deny", path: "/etc/**" }];
    const many = Array.from({ length: 300 }, (_, i) => `src/${i}`);
    expect(decide(rules, { args: { paths: [...many, "/etc/passwd"] } })).toEqual(denied);
  });

  it("is not misled by locations that an agent gave itself", () => {
    const rules: PermissionRule[] = [{ decision: "allow", path: "src/**" }];
    expect(decide(rules, { locations: [{ path: "/project/src/../secret" }] })).toBe(asked);
    expect(decide(rules, { locations: [{ path: "src/a" }] })).toEqual(allowed);
  });

  it("refuses rules that it would misunderstand", () => {
    const make = (rule: unknown) => () => new RulePermissionHandler([rule as PermissionRule], { decide: () => asked });
    expect(make({ decision: "permit" })).toThrow(expect.objectContaining({ code: "bad_rule" }));
    expect(make({ decision: "allow", tol: "bash" })).toThrow(/no "tol"/);
    expect(make({ decision: "allow", agent: "x" })).toThrow(/no "agent"/);
    expect(make({ decision: "deny", tool: "*a".repeat(11) })).toThrow(/wildcards/);
  });
});
