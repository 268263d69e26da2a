import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { processorTime } from "../../../test/support/processor-time.ts";
import { decide } from "./decide.ts";
import { decisionGroups, decisionsInDocs } from "./decision-table.ts";
import { isRuleDecision, parseRule, type Rule, type RuleScope } from "./rule.ts";
import { type DescribedCall, describeSubject, followLinks, networkTool, type Subject } from "./subject.ts";
import { suggestRule } from "./suggest-rule.ts";

const place = { agentId: "demo", threadId: "t1", cwd: "/w", home: "/home/me" };

/**
 * `run LINE [in FOLDER] [with NAME=VALUE] [escalated to TARGET]`, `network for LINE`, `KIND PATH…`, `fetch URL`, `other TITLE`,
 * `NAME of kind KIND`.
 */
function callIn(text: string): DescribedCall {
  const [, kind = "", rest = ""] = /^(\S+) ?(.*)$/s.exec(text) ?? [];
  if (kind.startsWith("mcp__")) return { name: kind, kind: rest.replace("of kind ", "") };
  if (kind === "network") return { name: networkTool, kind: "fetch", rawInput: { command: rest.replace("for ", "") } };
  if (kind === "run") {
    const [, line = "", folder, name, value, to, below] =
      /^(.*?)(?: in (\S+))?(?: with (\w+)=(\S*))?(?: escalated to (\w+)(?: (\S+))?)?$/s.exec(rest) ?? [];
    const escalate = to === undefined ? undefined : { to, folder: below, reason: "it must" };
    const isLoop = line.startsWith("for ");
    return {
      name: "execute",
      kind: "execute",
      title: `\`${line}\``,
      rawInput: isLoop
        ? { command: rest }
        : { command: line, cwd: folder, env: name === undefined ? undefined : { [name]: value }, escalate },
    };
  }
  if (kind === "fetch") return { name: kind, kind, rawInput: rest === "" ? {} : { url: rest } };
  if (kind === "other") return { kind, title: rest };
  const [paths = "", command] = rest.split(" while running ");
  const locations = paths.split(" ").filter((path) => path !== "");
  return { name: kind, kind, locations: locations.map((path) => ({ path })), rawInput: { command } };
}

function rulesIn(text: string, scope: RuleScope | null = null): readonly Rule[] {
  return text
    .split(" + ")
    .filter((written) => written !== "")
    .map((written) => {
      const at = written.indexOf(" ");
      const decision = written.slice(0, at);
      const terms = parseRule(written.slice(at + 1));
      if (!isRuleDecision(decision) || terms === undefined) throw new Error(`${written} is no rule`);
      return { decision, terms, scope };
    });
}

const verdict = (rules: readonly Rule[], call: DescribedCall, where = place) =>
  decide(rules, describeSubject(call, where)).decision;

describe.each(decisionGroups)("$title", ({ rows }) => {
  it.each(rows)("%j on %j: %s", (rules, call, decision) => {
    expect(verdict(rulesIn(rules), callIn(call))).toBe(decision);
  });
});

it("has at least 150 rows, none of them twice", () => {
  const rows = decisionGroups.flatMap((group) => group.rows.map(([rules, call]) => `${rules} on ${call}`));
  expect(rows.length).toBeGreaterThanOrEqual(150);
  expect(new Set(rows).size).toBe(rows.length);
});

it("shows in the docs what it decides", () => {
  const docs = readFileSync(join(import.meta.dirname, "../../../docs/permissions.md"), "utf8");
  const cell = (text: string) => `\`${text.replaceAll("|", "\\|")}\``;
  const table = decisionsInDocs.map(
    ([rules, call, decision]) => `| ${rules.split(" + ").map(cell).join(", ")} | ${cell(call)} | ${decision} |`,
  );
  expect(docs).toContain(`| rules | the agent wants | decision |\n| --- | --- | --- |\n${table.join("\n")}\n\n`);
});

describe("the scope of a rule", () => {
  it.each([
    [{ type: "thread", id: "t1" }, place, "allow"],
    [{ type: "thread", id: "t1" }, { ...place, threadId: "t2" }, "ask"],
    [{ type: "folder", id: "/w" }, place, "allow"],
    [{ type: "folder", id: "/w" }, { ...place, cwd: "/w/sub" }, "allow"],
    [{ type: "folder", id: "/w" }, { ...place, cwd: "/w2" }, "ask"],
  ] as const)("%j in %j: %s", (scope, where, decision) => {
    expect(verdict(rulesIn("allow all", scope), callIn("edit a"), where)).toBe(decision);
  });

  it("keeps a deny rule of another thread out of what may hide commands", () => {
    const rules = [...rulesIn("allow all"), ...rulesIn("deny command:rm *", { type: "thread", id: "t2" })];
    expect(verdict(rules, callIn("run cat $a"))).toBe("allow");
  });
});

it("takes the letters of the thread's folder literally", () => {
  const where = { ...place, cwd: "/w/a*" };
  expect(verdict(rulesIn("allow path:src/**"), callIn("edit /w/a*/src/x"), where)).toBe("allow");
  expect(verdict(rulesIn("allow path:src/**"), callIn("edit /w/abc/src/x"), where)).toBe("ask");
});

describe("what a call is about", () => {
  const subject = (call: DescribedCall) => describeSubject(call, place);

  it("finds paths in the input at any depth, and shows those of the diff", () => {
    const call = {
      kind: "edit",
      content: [{ type: "diff", path: "a.txt" }],
      locations: [{ path: "b.txt" }],
      rawInput: { edits: [{ filePath: "c.txt" }], target: "d.txt", to: "https://example.org/", text: "e.txt" },
    };
    expect(subject(call)).toMatchObject({ paths: ["a.txt", "b.txt", "c.txt", "d.txt"], targets: ["a.txt"] });
  });

  it("opens the file that an edit's input names where nothing else names one", () => {
    const input = (rawInput: object, kind = "edit") => subject({ kind, rawInput }).targets;
    expect(input({ file_path: "/w/a.ts", content: "x" })).toEqual(["/w/a.ts"]);
    // Which of two the tool obeys is not known.
    expect(input({ file_path: "/w/a.ts", path: "/w/b.ts" })).toEqual([]);
    expect(input({ file_path: "/w/a.ts" }, "other")).toEqual([]);
    expect(subject({ kind: "edit", locations: [{ path: "b" }], rawInput: { path: "c" } }).targets).toEqual(["b"]);
  });

  it("opens only paths of diffs and locations; rules see every path", () => {
    const diff = { type: "diff", path: "a", oldText: "x", newText: "y" };
    const beside = { type: "content", path: "Makefile", content: { type: "text", text: "" } };
    const both = subject({ kind: "edit", content: [diff, beside] });
    expect(both.targets).toEqual(["a"]);
    expect(both.paths).toEqual(["a", "Makefile"]);
    expect(subject({ kind: "edit", content: [beside], locations: [{ path: "b" }] }).targets).toEqual(["b"]);
  });

  it("allows by path nothing that it could not look through", () => {
    const deep = JSON.parse(`${'{"a":'.repeat(50)}1${"}".repeat(50)}`);
    const call = { kind: "edit", locations: [{ path: "src/a" }], rawInput: deep };
    expect(verdict(rulesIn("allow path:src/**"), call)).toBe("ask");
  });

  it.each([
    ["too many paths", Array.from({ length: 10_001 }, (_, index) => `src/${index}`)],
    ["a path that is too deep", [`${"a/".repeat(1000)}b`]],
    ["a path that is too long", ["a".repeat(10_000)]],
  ])("asks about %s, where a rule speaks about paths", (_, paths) => {
    const call = { kind: "edit", rawInput: { paths } };
    expect(verdict(rulesIn("allow path:**"), call)).toBe("ask");
    expect(verdict(rulesIn("allow all + deny path:**/.env"), call)).toBe("ask");
    expect(verdict(rulesIn("allow all"), call)).toBe("allow");
  });

  it("compares only so many paths, with patterns that cost only so much, whatever a project's rules are", () => {
    const call = { kind: "edit", rawInput: { paths: Array.from({ length: 201 }, (_, index) => `src/${index}`) } };
    const rules = (count: number) =>
      rulesIn(["allow all", ...Array.from({ length: count }, (_, index) => `deny path:${index}`)].join(" + "));
    expect(verdict(rules(49), call)).toBe("allow");
    expect(verdict(rules(50), call)).toBe("ask");
    expect(parseRule("path:a**b**c**d")).toBeUndefined();
    expect(parseRule("path:**/a/**/b/**/c**d")).toBeDefined();
  });

  it.each([
    [{ command: "npm test" }, "npm test"],
    [{ cmd: "ls" }, "ls"],
    [{ command: ["bash", "-lc", "npm test"] }, "bash -lc 'npm test'"],
    [{ command: "echo", args: ["it's"] }, "echo 'it'\\''s'"],
    [{ command: 7 }, undefined],
    [{ command: [] }, undefined],
    ["ls", undefined],
    [null, undefined],
  ])("reads the command of %j", (rawInput, command) => {
    expect(subject({ kind: "execute", rawInput }).command).toBe(command);
  });

  it("takes a title in backticks for the command, and any other only to deny", () => {
    const quoted = { kind: "execute", title: "`ls`" };
    const withoutQuotes = { kind: "execute", title: "ls" };
    expect(verdict(rulesIn("allow command:ls"), quoted)).toBe("allow");
    expect(verdict(rulesIn("allow command:ls"), withoutQuotes)).toBe("ask");
    expect(verdict(rulesIn("allow all + deny command:ls"), withoutQuotes)).toBe("deny");
  });

  it.each([
    { command: "ls", cmd: "rm a" },
    { command: ["ls"], cmd: "rm a" },
    { command: "ls", script: "rm a" },
    { cmd: "ls", commands: ["rm a"] },
  ])("looks at all of the commands of %j", (rawInput) => {
    const call = { kind: "execute", rawInput };
    expect(verdict(rulesIn("allow command:ls"), call)).toBe("ask");
    expect(verdict(rulesIn("allow all + deny command:rm *"), call)).toBe("deny");
  });

  it("takes the first of separate words for the program, also where a shell would take it for a variable", () => {
    const call = { kind: "execute", rawInput: { command: ["CI=1", "git", "status"] } };
    expect(verdict(rulesIn("allow command:git *"), call)).toBe("ask");
  });

  it("finds the tool's name where agents put it", () => {
    expect(subject({ name: "bash" }).tool).toBe("bash");
    expect(subject({ _meta: { claudeCode: { toolName: "Bash" } } }).tool).toBe("Bash");
    expect(subject({ _meta: { a: { b: { tool_name: "x" } } } }).tool).toBe("x");
  });
});

describe("where paths lead", () => {
  const links: Readonly<Record<string, string>> = { "/w/link": "/etc", "/w/src": "/w/src", "/w/in": "/w/src/in" };
  const decision = (rules: string, call: DescribedCall) =>
    decide(
      rulesIn(rules),
      followLinks(describeSubject(call, place), (path) => links[path]),
    ).decision;

  it.each([
    ["allow path:src/**", "edit src", "allow"],
    ["allow path:src/**", "edit in", "ask"],
    ["allow path:**", "edit in", "allow"],
    ["allow path:**", "edit link", "ask"],
    ["allow all + deny path:/etc/**", "edit link", "deny"],
    ["allow path:**", "edit unseen", "ask"],
    ["allow command:make", "run make in link", "ask"],
    ["allow command:make", "run make in src", "allow"],
    ["allow command:make", "run make in unseen", "ask"],
  ])("%j on %j: %s", (rules, call, expected) => {
    expect(decision(rules, callIn(call))).toBe(expected);
  });

  it("follows each link once: what rules see is what an answer opens", () => {
    let changes = 0;
    const call = { kind: "edit", locations: [{ path: "d/f" }], rawInput: { path: "d/f" } };
    const { paths, targets } = followLinks(describeSubject(call, place), (path) => `${path}-${changes++}`);
    expect(paths).toEqual(["/w/d/f", "/w/d/f-0"]);
    expect(targets).toEqual(["/w/d/f-0"]);
  });

  it("allows by path nothing that it could not follow", () => {
    const locations = Array.from({ length: 201 }, (_, index) => ({ path: `d${index}/../src` }));
    expect(decision("allow path:**", { kind: "edit", locations: locations.slice(1) })).toBe("allow");
    expect(decision("allow path:**", { kind: "edit", locations })).toBe("ask");
  });
});

describe("the rule of a remembered answer", () => {
  const rule = (call: DescribedCall) => suggestRule(describeSubject(call, place));

  it.each([
    ["run rm *.log", "agent:demo,command:rm \\*.log"],
    ["run echo a, b", "agent:demo,command:echo a\\, b"],
    ["edit /w/a.ts", "agent:demo,kind:edit,path:/w/a.ts"],
    ["fetch https://example.org/a", "agent:demo,tool:fetch,host:example.org"],
    ["mcp__bank__wire of kind other", "agent:demo,tool:mcp__bank__wire"],
    ["network for npm install", "agent:demo,kind:fetch,command:npm install"],
    ["other read forecast", "agent:demo,kind:other,title:read forecast"],
  ])("of %j is %j, for any scope", (call, match) => {
    expect(rule(callIn(call))).toEqual({ match, scopes: ["turn", "thread", "folder", "always"] });
    expect(verdict(rulesIn(`allow ${match}`), callIn(call))).toBe("allow");
  });

  it("of a write that only its input names is about that file", () => {
    const call = { kind: "edit", rawInput: { file_path: "/w/a.ts", content: "x" } };
    expect(rule(call)?.match).toBe("agent:demo,kind:edit,path:/w/a.ts");
  });

  it("holds in the thread only where it would allow a whole kind", () => {
    expect(rule({ kind: "other" })).toEqual({ match: "agent:demo,kind:other", scopes: ["turn", "thread"] });
  });

  it.each(["run make with PATH=/tmp", "run make in /elsewhere", "edit a b"])("of %j is none", (call) => {
    expect(rule(callIn(call))).toBeUndefined();
  });

  it("of a command that only the title says names the title, never the whole tool", () => {
    const call = { kind: "execute", name: "bash", title: "List the files" };
    expect(rule(call)?.match).toBe("agent:demo,kind:execute,title:List the files");
  });

  it("is none for what it could not name exactly", () => {
    expect(rule({ kind: "edit", locations: [{ path: "/w/a " }] })).toBeUndefined();
    expect(rule({ kind: "execute", title: "x", rawInput: { command: "ls", cmd: "rm a" } })).toBeUndefined();
    expect(rule({ kind: "execute", rawInput: { command: "a".repeat(60_000) } })).toBeUndefined();
    expect(rule({ kind: "fetch", rawInput: { urls: ["https://a.org", "https://b.org"] } })).toBeUndefined();
    expect(rule({ kind: "edit", locations: [{ path: "a" }], rawInput: { path: "b" } })).toBeUndefined();
  });

  it("covers exactly what was asked, whatever is in it", () => {
    const anything = fc.string({ unit: fc.constantFrom(..."ab *?\\,:;'\"|$\n".split("")), minLength: 1 });
    fc.assert(
      fc.property(anything, anything, fc.constantFrom("execute", "edit", "other"), (text, other, kind) => {
        const call = (words: string): DescribedCall =>
          kind === "execute"
            ? { kind, rawInput: { command: words } }
            : kind === "edit"
              ? { kind, locations: [{ path: `/w/${words}` }] }
              : { kind, title: words };
        const remembered = suggestRule(describeSubject(call(text), place));
        fc.pre(remembered !== undefined && /[^;|]/.test(text));
        const rules = rulesIn(`allow ${remembered.match}`);
        expect(verdict(rules, call(text))).toBe("allow");
        const [asked, another] = [describeSubject(call(text), place), describeSubject(call(other), place)];
        if (!isSame(asked, another) && !repeats(asked, another)) expect(verdict(rules, call(other))).toBe("ask");
      }),
    );
  });
});

const withoutQuotes = (command: string | undefined) => command?.replaceAll(/['"\\\s]/g, "");

function isSame(one: Subject, other: Subject): boolean {
  const words = ({ command, paths, title }: Subject) =>
    JSON.stringify([withoutQuotes(command), paths.map((path) => path.replaceAll(/\/+$/g, "")), title]);
  return words(one) === words(other);
}

/** `a | a` and `a;` hold no command but `a`. */
function repeats(one: Subject, other: Subject): boolean {
  const commands =
    other.command
      ?.split(/[;|]/)
      .map(withoutQuotes)
      .filter((command) => command !== "") ?? [];
  return commands.length > 0 && commands.every((command) => command === withoutQuotes(one.command));
}

it("answers in time whatever the rules and the command are", () => {
  const patterns = [`${"*a".repeat(9)}*b`, `${"a".repeat(480)}*${"a".repeat(10)}?b`, `*${"a".repeat(490)}b`];
  const many = Array.from({ length: 100 }, (_, index) => patterns[index % 3] ?? "");
  const rules = many.flatMap((pattern) => rulesIn(`deny command:${pattern} + deny path:${pattern}`));
  const call = { kind: "execute", rawInput: { command: "a".repeat(100_000), path: "a".repeat(4000) } };
  const used = processorTime();
  expect(verdict(rules, call)).toBe("ask");
  expect(used()).toBeLessThan(5000);
});
