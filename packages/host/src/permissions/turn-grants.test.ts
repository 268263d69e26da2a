import { type DescribedCall, describeSubject, type Subject } from "@signalbox/rules";
import { expect, it } from "vitest";
import { TurnGrants } from "./turn-grants.ts";

const subject = (call: DescribedCall): Subject => describeSubject(call, { agentId: "a", threadId: "t", cwd: "/w" });
const run = (command: string, more: object = {}) => subject({ kind: "execute", rawInput: { command, ...more } });
const file = (kind: string, ...paths: string[]) => subject({ kind, locations: paths.map((path) => ({ path })) });

const always = () => true;
const never = () => false;

function granted(...subjects: Subject[]): TurnGrants {
  const grants = new TurnGrants();
  for (const each of subjects) grants.add(each, "person");
  return grants;
}

/** Whether a yes to one covers the other. */
const covers = (asked: Subject, planned: Subject) => granted(asked).take(planned, never);

it("permission to change a file covers changing and reading it in the whole turn, and no other file", () => {
  const grants = granted(file("edit", "/w/a"));
  for (const kind of ["edit", "read", "edit"]) expect(grants.take(file(kind, "/w/a"), never)).toBe(true);
  expect(grants.take(file("edit", "/w/a", "/w/b"), never)).toBe(false);
  expect(grants.take(run("cat /w/a"), never)).toBe(false);
});

it.each(["read", "search", "think", "fetch", "delete", "move", "other", "switch_mode"])(
  "permission of the kind %s covers no change of a file",
  (kind) => {
    expect(covers(file(kind, "/w/a"), file("edit", "/w/a"))).toBe(false);
  },
);

it.each(["read", "edit", "search", "think", "fetch", "delete"])(
  "permission of the kind %s covers no command, whatever its input names",
  (kind) => {
    const call = { kind, locations: [{ path: "/w/a" }], rawInput: { command: "touch pwned" } };
    expect(covers(subject(call), run("touch pwned"))).toBe(false);
  },
);

it("permission for a command covers no file that the question mentions", () => {
  const call = { kind: "execute", locations: [{ path: "/w/a" }], rawInput: { command: "git status", path: "/w/b" } };
  expect(covers(subject(call), run("git status"))).toBe(true);
  expect(covers(subject(call), file("edit", "/w/a"))).toBe(false);
  expect(covers(subject(call), file("read", "/w/b"))).toBe(false);
});

it("permission for a diff covers the file that it shows, not others that the input names", () => {
  const call = {
    kind: "edit",
    content: [{ type: "diff", path: "/w/a.txt" }],
    locations: [{ path: "/w/package.json" }],
    rawInput: { path: "/w/package.json", filename: "/w/Makefile" },
  };
  expect(covers(subject(call), file("edit", "/w/a.txt"))).toBe(true);
  expect(covers(subject(call), file("edit", "/w/package.json"))).toBe(false);
  expect(covers(subject(call), file("edit", "/w/Makefile"))).toBe(false);
});

it("permission for a command is for its folder and its environment", () => {
  expect(covers(run("make"), run("make", { cwd: "/w" }))).toBe(true);
  expect(covers(run("make"), run("make", { env: { CI: "1" } }))).toBe(true);
  expect(covers(run("make"), run("make", { cwd: "/elsewhere" }))).toBe(false);
  expect(covers(run("make"), run("make", { env: { PATH: "/tmp" } }))).toBe(false);
  expect(covers(run("make"), run("make; rm a"))).toBe(false);
  const withPath = run("make", { env: { PATH: "/tmp" } });
  expect(covers(withPath, withPath)).toBe(true);
});

it("permission for a command is for one run: two answers are for two", () => {
  const grants = granted(run("make"), run("make"));
  expect([1, 2, 3].map(() => grants.take(run("make"), never))).toEqual([true, true, false]);
});

it("an answer of a rule counts only while the rules still allow what was asked", () => {
  const asked = subject({ kind: "execute", name: "bash", rawInput: { command: "make" } });
  const grants = new TurnGrants();
  grants.add(asked, "rule");
  expect(grants.take(run("make"), never)).toBe(false);
  expect(grants.take(run("make"), (about) => about === asked)).toBe(true);
  expect(grants.take(run("make"), always)).toBe(false);
});

it("an answer of a rule about a tool of another kind runs no command", () => {
  const grants = new TurnGrants();
  grants.add(subject({ kind: "other", name: "todo", rawInput: { command: "make" } }), "rule");
  expect(grants.take(run("make"), always)).toBe(false);
});

it("an answer of a person about a file outlives one of a rule", () => {
  const grants = granted(file("edit", "/w/a"));
  grants.add(file("edit", "/w/a"), "rule");
  expect(grants.take(file("edit", "/w/a"), never)).toBe(true);
});

it("nothing is left when the turn is over", () => {
  const grants = granted(run("make"));
  grants.clear();
  expect(grants.take(run("make"), always)).toBe(false);
});

it.each(["bash -lc 'make test'", "/bin/sh -c 'make test'"])("permission for a command covers it as %j", (wrapped) => {
  expect(covers(run("make test"), run(wrapped))).toBe(true);
  expect(covers(run(wrapped), run("make test"))).toBe(true);
  expect(covers(run("make"), run(wrapped))).toBe(false);
  expect(covers(run("make test"), run(wrapped, { cwd: "/elsewhere" }))).toBe(false);
});

it("permission for a command with more rights is for these rights alone, and for none without them", () => {
  const make = (escalate?: unknown) => subject({ kind: "execute", rawInput: { command: "make", escalate } });
  const reason = "it must";
  const write = { reason, to: "write", folder: "/srv" };
  const asked = [
    undefined,
    { reason },
    { reason, to: "network" },
    write,
    { ...write, folder: "/srv/.." },
    { ...write, folder: "/" },
    ["outside"],
  ];
  for (const allowed of asked) {
    const rights = (escalate: unknown) => {
      const { to = "", folder = "" } = make(escalate).escalation ?? {};
      return `${to} ${folder}`;
    };
    const covered = asked.filter((escalate) => covers(make(allowed), make(escalate)));
    expect(covered).toEqual(asked.filter((escalate) => rights(escalate) === rights(allowed)));
    expect(covered.length).toBeLessThanOrEqual(2); // `/srv/..` is `/`, and what is badly written counts as no sandbox
  }
});
