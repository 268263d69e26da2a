import { type DescribedCall, describeSubject, type Subject } from "@signalbox/rules";
import { expect, it } from "vitest";
import { Grants } from "./grants.ts";

const subject = (call: DescribedCall): Subject => describeSubject(call, { agentId: "a", threadId: "t", cwd: "/w" });
const run = (command: string, more: object = {}) => subject({ kind: "execute", rawInput: { command, ...more } });
const file = (kind: string, ...paths: string[]) => subject({ kind, locations: paths.map((path) => ({ path })) });

function granted(...subjects: Subject[]): Grants {
  const grants = new Grants();
  for (const each of subjects) grants.add(each, "person");
  return grants;
}

it("permission to change a file covers changing and reading it, and no other file", () => {
  const grants = granted(file("edit", "/w/a"));
  expect(grants.covers(file("edit", "/w/a"))).toBe("person");
  expect(grants.covers(file("read", "/w/a"))).toBe("person");
  expect(grants.covers(file("edit", "/w/a", "/w/b"))).toBeUndefined();
  expect(grants.covers(run("cat /w/a"))).toBeUndefined();
});

it.each(["read", "search", "think", "fetch", "delete", "move", "other", "switch_mode"])(
  "permission of the kind %s covers no change of a file",
  (kind) => {
    expect(granted(file(kind, "/w/a")).covers(file("edit", "/w/a"))).toBeUndefined();
  },
);

it.each(["read", "edit", "search", "think", "fetch", "delete"])(
  "permission of the kind %s covers no command, whatever its input names",
  (kind) => {
    const call = { kind, locations: [{ path: "/w/a" }], rawInput: { command: "touch pwned" } };
    expect(granted(subject(call)).covers(run("touch pwned"))).toBeUndefined();
  },
);

it("permission for a command covers no file that the question mentions", () => {
  const call = { kind: "execute", locations: [{ path: "/w/a" }], rawInput: { command: "git status", path: "/w/b" } };
  const grants = granted(subject(call));
  expect(grants.covers(run("git status"))).toBe("person");
  expect(grants.covers(file("edit", "/w/a"))).toBeUndefined();
  expect(grants.covers(file("read", "/w/b"))).toBeUndefined();
});

it("permission for a diff covers the file that it shows, not others that the input names", () => {
  const call = {
    kind: "edit",
    content: [{ type: "diff", path: "/w/a.txt" }],
    locations: [{ path: "/w/package.json" }],
    rawInput: { path: "/w/package.json", filename: "/w/Makefile" },
  };
  const grants = granted(subject(call));
  expect(grants.covers(file("edit", "/w/a.txt"))).toBe("person");
  expect(grants.covers(file("edit", "/w/package.json"))).toBeUndefined();
  expect(grants.covers(file("edit", "/w/Makefile"))).toBeUndefined();
});

it("permission for a command is for its folder and its environment", () => {
  const grants = granted(run("make"));
  expect(grants.covers(run("make", { cwd: "/w" }))).toBe("person");
  expect(grants.covers(run("make", { env: { CI: "1" } }))).toBe("person");
  expect(grants.covers(run("make", { cwd: "/elsewhere" }))).toBeUndefined();
  expect(grants.covers(run("make", { env: { PATH: "/tmp" } }))).toBeUndefined();
  expect(grants.covers(run("make; rm a"))).toBeUndefined();
  expect(granted(run("make", { env: { PATH: "/tmp" } })).covers(run("make", { env: { PATH: "/tmp" } }))).toBe("person");
});

it("says that a rule allowed it, so that the rule is asked again", () => {
  const grants = new Grants();
  grants.add(run("make"), "rule");
  expect(grants.covers(run("make"))).toBe("rule");
  grants.add(run("make"), "person");
  grants.add(run("make"), "rule");
  expect(grants.covers(run("make"))).toBe("person");
});

it("nothing is left when the turn is over", () => {
  const grants = granted(run("make"));
  grants.clear();
  expect(grants.covers(run("make"))).toBeUndefined();
});

it.each(["bash -lc 'make test'", "/bin/sh -c 'make test'"])("permission for a command covers it as %j", (wrapped) => {
  expect(granted(run("make test")).covers(run(wrapped))).toBe("person");
  expect(granted(run(wrapped)).covers(run("make test"))).toBe("person");
  expect(granted(run("make")).covers(run(wrapped))).toBeUndefined();
  expect(granted(run("make test")).covers(run(wrapped, { cwd: "/elsewhere" }))).toBeUndefined();
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
    const grants = granted(make(allowed));
    const rights = (escalate: unknown) => {
      const { to = "", folder = "" } = make(escalate).escalation ?? {};
      return `${to} ${folder}`;
    };
    const covered = asked.filter((escalate) => grants.covers(make(escalate)) !== undefined);
    expect(covered).toEqual(asked.filter((escalate) => rights(escalate) === rights(allowed)));
    expect(covered.length).toBeLessThanOrEqual(2); // `/srv/..` is `/`, and what is badly written counts as no sandbox
  }
});
