import { expect, it } from "vitest";
import { isRuleDecision, parseRule } from "./rule.ts";
import { decideSandboxed } from "./sandboxed-command.ts";
import { describeSubject } from "./subject.ts";

function decision(written: string, call: object): string {
  const rules = (written === "" ? [] : written.split(" + ")).map((rule) => {
    const [first = "", match = ""] = rule.split(/ (.*)/s);
    const terms = parseRule(match);
    if (!isRuleDecision(first) || terms === undefined) throw new Error(`${rule} is no rule`);
    return { decision: first, terms };
  });
  return decideSandboxed(
    rules,
    describeSubject({ kind: "execute", ...call }, { agentId: "a", threadId: "t", cwd: "/w" }),
  ).decision;
}

it.each([
  ["", { command: "npm test" }, "allow"],
  ["", { command: "rm -rf $HOME > x; $tool" }, "allow"],
  ["", { command: "make", cwd: "src" }, "allow"],
  // What leaves the folder asks.
  ["", { command: "make", cwd: "/elsewhere" }, "ask"],
  ["", { command: "make", cmd: "other" }, "ask"],
  // What asks for more than the sandbox gives is not held by it.
  ["", { command: "make", escalate: { reason: "x" } }, "ask"],
  ["deny command:rm *", { command: "rm x" }, "deny"],
  ["deny command:rm *", { command: "npm test" }, "allow"],
  // What may hide the forbidden command is asked about.
  ["deny command:rm *", { command: "$tool x" }, "ask"],
  ["ask command:git push *", { command: "git push" }, "ask"],
  ["ask kind:execute", { command: "ls" }, "ask"],
  ["allow command:ls", { command: "ls" }, "allow"],
] as const)("with %j, %j in the sandbox: %s", (rules, rawInput, expected) => {
  expect(decision(rules, { rawInput })).toBe(expected);
});

it("is about commands alone: not the network, not an MCP tool, not a title", () => {
  expect(decision("", { kind: "fetch", name: "bash_network", rawInput: { command: "ls" } })).toBe("ask");
  expect(decision("", { name: "mcp__shell__run", rawInput: { command: "ls" } })).toBe("ask");
  expect(decision("", { title: "ls" })).toBe("ask");
});
