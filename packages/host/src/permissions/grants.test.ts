// Leave for one thing is no leave for another.
import { expect, it } from "vitest";
import { Grants } from "./grants.ts";
import type { Subject } from "./rule.ts";

function subject(kind: string, more: Partial<Subject> = {}): Subject {
  return { agentId: "a", threadId: "t", cwd: "/w", kind, tool: null, command: null, paths: [], ...more };
}

it("leave to change a file is leave to change it again and to read it, however it is spelled", () => {
  const grants = new Grants();
  grants.add(subject("edit", { paths: ["src/a"] }));
  expect(grants.covers(subject("edit", { paths: ["/w/src/../src/a"] }))).toBe(true);
  expect(grants.covers(subject("read", { paths: ["/w/src/a"] }))).toBe(true);
  expect(grants.covers(subject("edit", { paths: ["/w/src/a", "/w/src/b"] }))).toBe(false);
});

it.each(["read", "search", "think", "fetch"])(
  "leave of the kind %s is none to change a file or to run a command",
  (kind) => {
    const grants = new Grants();
    grants.add(subject(kind, { paths: ["/w/a"], command: "rm a" }));
    expect(grants.covers(subject("read", { paths: ["/w/a"] }))).toBe(true);
    expect(grants.covers(subject("edit", { paths: ["/w/a"] }))).toBe(false);
    expect(grants.covers(subject("execute", { command: "rm a" }))).toBe(false);
  },
);

it("leave for a command is for that command, until the turn is over", () => {
  const grants = new Grants();
  grants.add(subject("execute", { command: "npm test" }));
  expect(grants.covers(subject("execute", { command: "npm test" }))).toBe(true);
  expect(grants.covers(subject("execute", { command: "npm test; rm a" }))).toBe(false);
  grants.clear();
  expect(grants.covers(subject("execute", { command: "npm test" }))).toBe(false);
});
