import { parseRule } from "@signalbox/protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decide } from "./decide.ts";
import type { Rule, Subject } from "./rule.ts";
import { readShellLine } from "./shell-words.ts";

let nextId = 0;
function rule(decision: Rule["decision"], match: string, scope: Rule["scope"] = null): Rule {
  const terms = parseRule(match);
  if (terms === null) throw new Error(match);
  const id = String(nextId++);
  return {
    id,
    decision,
    match,
    terms,
    source: "user_config",
    scope,
    created_at: null,
    last_matched_at: null,
    last_match: null,
    match_count: 0,
  };
}

const base: Subject = {
  agentId: "demo",
  threadId: "t1",
  cwd: "/w",
  kind: "execute",
  tool: "bash",
  command: null,
  paths: [],
};
const command = (text: string): Subject => ({ ...base, command: text });
const edit = (...paths: string[]): Subject => ({ ...base, kind: "edit", tool: "edit", paths });

const verdict = (subject: Subject, ...rules: Rule[]) => decide(rules, subject).decision;

describe("what the rules say", () => {
  it("asks where no rule speaks", () => {
    expect(verdict(command("ls"))).toBe("ask");
  });

  it("lets deny beat ask beat allow, whatever their order", () => {
    const all = [rule("allow", "all"), rule("ask", "kind:execute"), rule("deny", "command:rm *")];
    expect(decide(all, command("rm x")).decision).toBe("deny");
    expect(decide(all.toReversed(), command("ls")).decision).toBe("ask");
    expect(decide(all, edit("/w/a")).decision).toBe("allow");
  });

  it.each([
    ["git status", "allow"],
    ["git", "allow"],
    ["  git   'status'  ", "allow"],
    ["git status; rm -rf /", "ask"],
    ["git status && rm -rf /", "ask"],
    ["git status | sh", "ask"],
    ["git status & rm x", "ask"],
    ["git status\nrm x", "ask"],
    ["git log && git status", "allow"],
    ["git $(rm x)", "ask"],
    ["git `rm x`", "ask"],
    ['git "$(rm x)"', "ask"],
    ["git status > /etc/passwd", "ask"],
    ["git status &> x", "ask"],
    ["(git status; rm x)", "ask"],
    ["PAGER=evil git log", "ask"],
    ["gitevil status", "ask"],
    ["/tmp/git status", "ask"],
    ["git 'a; rm x'", "allow"],
    ["git status # ; rm x", "allow"],
    ["git status\\\n; rm x", "ask"],
  ])("allow command:git * on %j: %s", (line, expected) => {
    expect(verdict(command(line), rule("allow", "command:git *"))).toBe(expected);
  });

  it.each([
    "rm x",
    "ls; rm x",
    "sudo rm x",
    "/bin/rm x",
    "FOO=1 rm x",
    "env A=b sudo -n rm x",
    "ls | xargs rm x",
    "true&&rm x",
  ])("deny command:rm * finds it in %j", (line) => {
    expect(verdict(command(line), rule("allow", "all"), rule("deny", "command:rm *"))).toBe("deny");
  });

  it("covers a line that cannot be read by a general leave only where no rule forbids a command", () => {
    const line = 'for f in *; do echo "$f"; done';
    expect(verdict(command(line), rule("allow", "all"))).toBe("allow");
    expect(verdict(command(line), rule("allow", "all"), rule("deny", "command:rm *"))).toBe("ask");
    expect(
      verdict(command(line), rule("allow", "all"), rule("deny", "command:rm *", { type: "thread", id: "t2" })),
    ).toBe("allow");
  });

  it("lets the exact text of a line that cannot be read be remembered", () => {
    const line = 'for f in *; do echo "$f"; done';
    const exact = rule("allow", `command:${line.replaceAll("*", "\\*")}`);
    expect(verdict(command(line), exact)).toBe("allow");
    expect(verdict(command(`${line}; rm x`), exact)).toBe("ask");
  });

  it("allows paths only when all of them match, and denies when any does", () => {
    expect(verdict(edit("/w/src/a.ts", "/w/src/b/c.ts"), rule("allow", "kind:edit,path:src/**"))).toBe("allow");
    expect(verdict(edit("/w/src/a.ts", "/w/other"), rule("allow", "path:src/**"))).toBe("ask");
    expect(verdict(edit("/w/src/a.ts", "/w/.env"), rule("allow", "all"), rule("deny", "path:**/.env"))).toBe("deny");
    expect(verdict(edit("/w/src/../.env"), rule("allow", "path:src/**"))).toBe("ask");
    expect(verdict(edit(), rule("allow", "path:**"))).toBe("ask");
  });

  it("keeps a rule to its thread or folder", () => {
    const thread = rule("allow", "all", { type: "thread", id: "t1" });
    const folder = rule("allow", "all", { type: "folder", id: "/w" });
    expect(verdict(edit("/w/a"), thread)).toBe("allow");
    expect(verdict({ ...edit("/w/a"), threadId: "t2" }, thread)).toBe("ask");
    expect(verdict({ ...edit("/w/a"), cwd: "/w/sub" }, folder)).toBe("allow");
    expect(verdict({ ...edit("/w/a"), cwd: "/w2" }, folder)).toBe("ask");
  });

  it("never splits a line into commands that hide another one", () => {
    // Whatever is written around it, an unquoted separator followed by `rm` is seen as a command of its own, or the line is opaque.
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom("a", " ", "'", '"', "\\", ";", "&", "|", "$", "(", "\n", "#", ">") }),
        (noise) => {
          const line = readShellLine(`${noise}\n;rm x`);
          const quoted = line.type === "commands" && !line.commands.some((words) => words[0] === "rm");
          // Only an open quote or a comment that swallows the line could do that; both cannot cross the line break unseen.
          expect(quoted && !/['"\\]/.test(noise)).toBe(false);
        },
      ),
    );
  });
});
