import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RequestPermissionRequest } from "@agentclientprotocol/sdk";
import type { WrittenRule } from "@signalbox/rules";
import type { PermissionRequest } from "@signalbox/tool-calls";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Tool } from "../tools/tool.ts";
import { SessionPermissions } from "./session-permissions.ts";

let cwd: string;

beforeEach(() => {
  cwd = mkdtempSync(join(realpathSync(tmpdir()), "signalbox-permissions-"));
});

afterEach(() => rmSync(cwd, { recursive: true }));

const bash = { name: "bash", isSandboxed: true } as Tool;

const edit = { name: "edit", kind: "edit" } as Tool;

/** Permissions of a session whose person answers every question alike, by default with "always". Commands run unasked where the sandbox `holds` them. */
function permissions(rules: readonly WrittenRule[] = [], holds = false, answer = "allow_always") {
  const questions: RequestPermissionRequest[] = [];
  const client = {
    requestPermission: async (question: RequestPermissionRequest) => {
      questions.push(question);
      return { outcome: { outcome: "selected" as const, optionId: answer } };
    },
  };
  const session = new SessionPermissions({
    client,
    rules,
    mode: () => "sandbox",
    tools: () => [bash, edit],
    cwd,
    autoAllowSandboxed: async () => holds,
  });
  return { questions, session };
}

function call(tool: string, kind: PermissionRequest["kind"], args: object): PermissionRequest {
  const { signal } = new AbortController();
  return { sessionId: "s", toolCallId: "c", tool, kind, title: tool, args, locations: [], content: [], cwd, signal };
}

const wide = { command: "make", escalate: { reason: "x" } };

describe("an answer for always", () => {
  it.each([
    ["the same command", { command: "make" }, { command: "make" }, 1],
    ["another command", { command: "make" }, { command: "make install" }, 2],
    ["the command below the session's folder", { command: "make" }, { command: "make", cwd: "src" }, 1],
    ["the command in another folder", { command: "make" }, { command: "make", cwd: "/tmp/elsewhere" }, 2],
    ["the command with another PATH", { command: "make" }, { command: "make", env: { PATH: "/tmp" } }, 2],
    ["a command that begins the same", { command: "npm test" }, { command: "npm test -- upload" }, 1],
    ["one that begins the same, and more", { command: "npm test" }, { command: "npm test; rm x" }, 2],
    ["the command outside the sandbox", { command: "make" }, { command: "make", escalate: { reason: "x" } }, 2],
    [
      "the same outside",
      { command: "make", escalate: { reason: "x" } },
      { command: "make", escalate: { reason: "y" } },
      1,
    ],
    ["the same with other rights", wide, { ...wide, escalate: { reason: "x", to: "write", folder: "/srv" } }, 2],
    ["the same in another folder", { command: "make", cwd: "/tmp/a" }, { command: "make", cwd: "/tmp/a" }, 1],
  ])("and then %s: %j, %j", async (_what, first, second, asked) => {
    const { questions, session } = permissions();
    expect(await session.decide(call("bash", "execute", first))).toEqual({ allowed: true });
    expect(await session.decide(call("bash", "execute", second))).toEqual({ allowed: true });
    expect(questions).toHaveLength(asked);
  });

  it("is about the host of an address, and about every tool that edits", async () => {
    const { questions, session } = permissions();
    for (const url of ["https://a.org/1", "https://a.org/2", "https://b.org/"])
      await session.decide(call("fetch", "fetch", { url }));
    for (const tool of ["write", "edit", "apply_patch"]) await session.decide(call(tool, "edit", { path: tool }));
    expect(questions.map(({ options }) => options[1]?.name)).toEqual([
      "Always allow fetch a.org",
      "Always allow fetch b.org",
      "Always allow edits",
    ]);
  });
});

it("for the network is about commands that begin the same, never about every command", async () => {
  const { questions, session } = permissions();
  for (const command of ["npm install", "npm install left-pad", "npm test", "curl https://a.org/"])
    await session.decide(call("bash_network", "fetch", { command, network: true }));
  expect(questions.map(({ options }) => options[1]?.name)).toEqual([
    "Always allow the network for npm install *",
    "Always allow the network for npm test *",
    "Always allow the network for curl https://a.org/",
  ]);
});

describe("a command that the sandbox holds", () => {
  it.each([
    [true, [], { command: "npm test" }, 0],
    [false, [], { command: "npm test" }, 1],
    [true, [], { command: "make", cwd: "/elsewhere" }, 1],
    [true, [{ decision: "ask", match: "command:git push *" }], { command: "git push" }, 1],
    [true, [{ decision: "deny", match: "command:rm *" }], { command: "$tool x" }, 1],
  ] as const)("(%s) with the rules %j: %j", async (holds, rules, args, asked) => {
    const { questions, session } = permissions(rules, holds);
    await session.decide(call("bash", "execute", args));
    expect(questions).toHaveLength(asked);
  });

  it("needs permission for the network all the same", async () => {
    const { questions, session } = permissions([], true);
    await session.decide(call("bash_network", "fetch", { command: "npm test", network: true }));
    expect(questions).toHaveLength(1);
  });
});

it("follows links in arguments that are no locations", () => {
  mkdirSync(join(cwd, "secrets"));
  symlinkSync("secrets", join(cwd, "link"));
  const { session } = permissions([{ decision: "deny", match: "path:secrets/**" }]);
  expect(session.forbids(call("mcp__files__show", "read", { files: ["link/key"] }))).toContain("a rule forbids it");
  expect(session.forbids(call("mcp__files__show", "read", { files: ["src/key"] }))).toBeNull();
});

describe("a refusal", () => {
  it("of an edit makes the path read-only for commands, and another tool asks again, until the turn ends", async () => {
    const { questions, session } = permissions([], true, "reject_once");
    const path = join(cwd, "secret-plan.txt");
    expect(await session.decide(call("write", "edit", { path }))).toMatchObject({ allowed: false });
    expect(await session.findClosedPaths()).toEqual([{ path, access: "read", name: "refused" }]);
    await session.decide(call("edit", "edit", { path }));
    expect(questions).toHaveLength(2);
    session.beginTurn();
    expect(await session.findClosedPaths()).toEqual([]);
  });

  it("beats a rule that allows the same by another tool", async () => {
    const { questions, session } = permissions([{ decision: "allow", match: "tool:edit" }], true, "reject_once");
    const path = join(cwd, "a.txt");
    await session.decide(call("write", "edit", { path }));
    expect(await session.decide(call("edit", "edit", { path }))).toMatchObject({ allowed: false });
    expect(questions).toHaveLength(2);
    expect(await session.decide(call("edit", "edit", { path: join(cwd, "b.txt") }))).toEqual({ allowed: true });
  });

  it("of a command makes the same in another shell ask again, though the sandbox would hold it", async () => {
    const { questions, session } = permissions([], true, "reject_once");
    await session.decide(call("bash", "execute", { command: "npm publish", escalate: { reason: "x" } }));
    await session.decide(call("bash", "execute", { command: "bash -lc 'npm publish'" }));
    expect(questions).toHaveLength(2);
    expect(await session.decide(call("bash", "execute", { command: "npm test" }))).toEqual({ allowed: true });
  });

  it("says not to do the same by other means, and never to find another way", async () => {
    for (const answer of ["reject_once", "reject_always"]) {
      const { session } = permissions([], false, answer);
      const decision = await session.decide(call("write", "edit", { path: "a" }));
      expect(decision).toMatchObject({ message: expect.stringContaining("Do not do the same thing by other means.") });
    }
    const { session } = permissions([{ decision: "deny", match: "tool:write" }]);
    expect(session.forbids(call("write", "edit", { path: "a" }))).toContain("by other means");
  });
});

it("closes to commands what rules deny or ask about, and leaves open what an asked command names", async () => {
  for (const name of [".env", "deep/.env", "src/a.ts"]) {
    mkdirSync(join(cwd, name, ".."), { recursive: true });
    writeFileSync(join(cwd, name), "x");
  }
  const { session } = permissions([
    { decision: "ask", match: "path:**/.env" },
    { decision: "deny", match: "kind:edit,path:src/**" },
  ]);
  const close = (name: string, access: string) => ({ path: join(cwd, name), access, name: "user-rule" });
  const src = close("src", "read");
  expect(await session.findClosedPaths({ command: "npm test", commandFolder: cwd })).toEqual([
    src,
    close(".env", "hidden"),
    close("deep/.env", "hidden"),
  ]);
  expect(await session.findClosedPaths({ command: "cat .env", commandFolder: cwd })).toEqual([src]);
});
