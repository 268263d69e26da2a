import { expect, it } from "vitest";
import { decide } from "./decide.ts";
import { listPathClosures } from "./path-closures.ts";
import { parseRule, type Rule } from "./rule.ts";
import { describeSubject } from "./subject.ts";

const place = { agentId: "signalbox", threadId: "t", cwd: "/w", home: "/home/me" };

function rule(text: string): Rule {
  const [decision = "", match = ""] = text.split(/ (.*)/);
  return { decision: decision as Rule["decision"], terms: parseRule(match) ?? [] };
}

it.each([
  ["deny path:**/.env", "/w/a/.ENV", "hidden", undefined],
  ["deny path:secrets/**", "/w/secrets/key", "hidden", "/w/secrets"],
  ["deny path:~/notes", "/home/me/notes", "hidden", "/home/me/notes"],
  ["deny kind:edit,path:src/**", "/w/src/a.ts", "read", "/w/src"],
  ["deny kind:read,path:src/**", "/w/src/a.ts", "hidden", "/w/src"],
  ["ask path:**/.env", "/w/.env", "hidden", undefined],
  ["deny agent:signalbox,path:x", "/w/x", "hidden", "/w/x"],
] as const)("%s closes %s: %s, at %s", (text, path, access, fixed) => {
  const [closure] = listPathClosures([rule(text)], place);
  expect(closure).toMatchObject({ access, path: fixed });
  expect(closure?.matches(path)).toBe(true);
  expect(closure?.matches("/w/other")).toBe(false);
});

it.each([
  "allow path:**",
  "deny tool:write,path:x",
  "deny kind:fetch,path:x",
  "deny agent:codex,path:x",
  "deny command:rm *",
])("%s closes nothing", (text) => {
  expect(listPathClosures([rule(text)], place)).toEqual([]);
});

it("leaves open to a command what it names, where the rule asks, and never where it denies", () => {
  const named = { command: "source ./.env && npm start", commandFolder: "/w" };
  expect(listPathClosures([rule("ask path:**/.env")], place, named)).toEqual([]);
  expect(listPathClosures([rule("deny path:**/.env")], place, named)).toHaveLength(1);
  expect(listPathClosures([rule("ask path:**/.env")], place, { ...named, command: "npm start" })).toHaveLength(1);
});

it.each([
  ["deny path:secrets/**", "cat secrets/key", "deny"],
  ["deny path:**/.env", "printf x > config/.env", "deny"],
  ["deny path:**/.env", "git add --pathspec-from-file=.env", "deny"],
  ["ask path:**/.env", "sh -c 'cat ./.env'", "ask"],
  ["deny kind:edit,path:src/**", "cat src/a.ts", "allow"],
  ["deny path:**/.env", "npm test", "allow"],
])("%s decides about a command that names the path: %s, %s", (text, command, decision) => {
  const subject = describeSubject({ kind: "execute", rawInput: { command } }, place);
  expect(decide([rule("allow all"), rule(text)], subject).decision).toBe(decision);
});
