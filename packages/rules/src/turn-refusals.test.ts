import { expect, it } from "vitest";
import { TurnRefusals } from "./turn-refusals.ts";

const run = (command: string) => ({ kind: "execute", command, paths: [], targets: [], targetNames: [] });
const change = (kind: string, ...targets: readonly string[]) => ({
  kind,
  command: undefined,
  paths: [],
  targets,
  targetNames: targets,
});

it.each([
  ["npm publish", "npm publish", true],
  ["npm publish", "bash -lc 'npm publish'", true],
  ["npm publish", "env sh -c 'npm publish'", true],
  ["npm publish", "cd pkg && npm publish", true],
  ["npm publish", "timeout 60 npm publish", true],
  ["sh -c 'npm publish'", "npm publish", true],
  ["/bin/rm -r build", "rm -r build", true],
  ["rm -r build", "/usr/bin/rm -r build", true],
  ["cat $X > y", "bash -c 'cat $X > y'", true],
  ["cd pkg && npm publish", "cd pkg && ls", false],
  ["npm publish", "npm publish --dry-run", false],
  ["npm publish", "npm test", false],
])("after %j was refused, %j is covered: %s", (refused, later, isCovered) => {
  const refusals = new TurnRefusals();
  refusals.record(run(refused), false);
  expect(refusals.covers(run(later))).toBe(isCovered);
  refusals.record(run(refused), true);
  expect(refusals.covers(run(refused))).toBe(false);
});

it("covers every change of a refused path, until a yes or the end of the turn", () => {
  const refusals = new TurnRefusals();
  refusals.record(change("edit", "/w/a", "/w/b"), false);
  refusals.record(change("read", "/w/c"), false);
  expect(refusals.paths).toEqual(["/w/a", "/w/b"]);
  expect(refusals.covers(change("delete", "/w/a"))).toBe(true);
  expect(refusals.covers(change("read", "/w/a"))).toBe(false);
  refusals.record(change("edit", "/w/a"), true);
  expect(refusals.covers(change("edit", "/w/a"))).toBe(false);
  refusals.record({ ...change("edit"), paths: ["/w/d", "/\0unknown"] }, false);
  expect(refusals.paths).toEqual(["/w/b", "/w/d"]);
  refusals.clear();
  // The kind is the agent's word: one that says nothing may be a change too.
  refusals.record({ ...change("other", "/w/a"), targetNames: ["/w/link"] }, false);
  expect(refusals.paths).toEqual(["/w/a", "/w/link"]);
  refusals.clear();
  expect(refusals.paths).toEqual([]);
});
