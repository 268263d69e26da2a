import { tmpdir } from "node:os";
import { join } from "node:path";
import { describeSubject } from "@signalbox/rules";
import { createPolicy, type Enforcement } from "@signalbox/sandbox";
import { expect, it } from "vitest";
import { findSandboxRefusal, refuseCommand } from "./sandbox-refusal.ts";

const cwd = tmpdir();
const policy = createPolicy({
  mode: "sandbox",
  network: "off",
  workspaceFolders: [cwd],
  dataFolder: join(cwd, "no-such-data"),
  writable: [],
});
const enforcement: Enforcement = { kind: "landlock", helper: "/helper", layer: "namespaces", abi: 7 };
const thread = { policy, enforcement, actsThroughHost: true };
const subject = (call: object) => describeSubject(call, { agentId: "a", threadId: "t", cwd });
const writes = (path: string) => subject({ kind: "edit", content: [{ type: "diff", path, newText: "x" }] });

it("refuses a write to a protected path, a read of Signalbox's data and a command in a folder that is not there", () => {
  expect(findSandboxRefusal(thread, writes("/etc/foo"))).toContain("/etc belongs to the system");
  expect(findSandboxRefusal(thread, writes(join(cwd, "foo")))).toBeUndefined();
  const reads = subject({ kind: "read", locations: [{ path: join(cwd, "no-such-data/config.json") }] });
  expect(findSandboxRefusal(thread, reads)).toContain("Signalbox's own data");
  const runs = subject({ kind: "execute", rawInput: { command: "make", cwd: join(cwd, "nowhere") } });
  expect(findSandboxRefusal(thread, runs)).toContain("does not exist");
});

it("says nothing of an agent that may act by itself, nor of other kinds", () => {
  expect(findSandboxRefusal({ ...thread, actsThroughHost: false }, writes("/etc/foo"))).toBeUndefined();
  expect(findSandboxRefusal(thread, subject({ kind: "fetch", rawInput: { url: "http://x.test" } }))).toBeUndefined();
});

it("refuses every command where there is no sandbox, with what to do", () => {
  const none: Enforcement = { kind: "unavailable", reason: "there is none.", remedy: "Get one." };
  expect(refuseCommand({ policy, enforcement: none }, cwd)).toContain("there is none. Get one.");
  expect(refuseCommand(thread, cwd)).toBeUndefined();
});
