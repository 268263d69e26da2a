// Codex from npm (the native one): ids that are strings, approvals, plans, and a process that stdin's end does not end.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { ModelServer } from "../support/model-server/model-server.ts";
import { AgentDrive, AgentHome } from "./agent-drive.ts";
import { codexSettings } from "./inside-agents.ts";
import { codex, installAgent } from "./install-agents.ts";
import { changesOf, hunksOf, putBackAndUndo } from "./review-changes.ts";
import { scriptedTurns } from "./scripted-turn.ts";

beforeAll(async () => {
  const programs = await installAgent(codex);
  vi.stubEnv("PATH", `${programs}:${process.env.PATH}`);
});

function environment(home: string, url: string): void {
  const variables = codexSettings(home, url);
  vi.stubEnv("HOME", home);
  vi.stubEnv("CODEX_HOME", join(home, ".codex"));
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
}

const escalated = (cmd: string) => ({
  name: "exec_command",
  input: { cmd, sandbox_permissions: "require_escalated", justification: "The test wants it." },
});

/** Codex carries this out itself, as an edit. */
const patch = {
  name: "exec_command",
  input: { cmd: "apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: b.txt\n+written by codex\n*** End Patch\nEOF\n" },
};

/** By default Codex runs in the sandbox of Signalbox: see inside.test.ts. Here it is asked to leave its own. */
const withItsOwnSandbox = { config: { agents: { "codex-native": { sandbox: false } } } };

describe("Codex, through the host", () => {
  it("plans, asks before it leaves its sandbox, goes on after a restart, and what its own tools changed is put back", async () => {
    const plan = [
      { step: "look", status: "completed" },
      { step: "change", status: "in_progress" },
    ];
    await using model = await ModelServer.start(
      scriptedTurns({
        Begin: [
          { name: "update_plan", input: { plan } },
          escalated("cat a.txt"),
          patch,
          escalated("echo three >> a.txt"),
          "All done.",
        ],
        Again: ["Still here."],
      }),
    );
    using home = new AgentHome("codex");
    environment(home.path, model.url);
    await using drive = await AgentDrive.start("codex-native", withItsOwnSandbox);
    writeFileSync(drive.work.in("a.txt"), "one\ntwo\n");
    const turn = await drive.prompt("Begin", () => "allow_once");
    expect(turn).toMatchObject({ status: "ended", stop_reason: "end_turn", error: null });
    expect((await drive.messages()).at(0)).toBe("user: Begin");
    expect((await drive.messages()).at(-1)).toMatch(/All done\.$/);
    // Whether it asks about an edit in the folder depends on what the machine lets its sandbox do.
    const permissions = await drive.permissions();
    expect(permissions.length).toBeGreaterThanOrEqual(2);
    expect(new Set(permissions.map(({ status }) => status))).toEqual(new Set(["allowed"]));
    const [call] = await drive.toolCalls();
    // Codex sees that this command only reads.
    expect(call).toMatchObject({ kind: "read", status: "completed" });
    const sent = model.requests.at(-1)?.messages.flatMap(({ toolResults = [] }) => toolResults) ?? [];
    expect(sent.map(({ text }) => text).join("\n")).toContain("one\ntwo");

    const before = await drive.messages();
    await drive.restart();
    expect(await drive.prompt("Again", () => "allow_once")).toMatchObject({ status: "ended", stop_reason: "end_turn" });
    const after = await drive.messages();
    expect(after.slice(0, before.length)).toEqual(before);
    expect(after.slice(before.length).join("\n")).toMatch(/^user: Again[^]*Still here\.$/);
    expect(after.filter((message) => message.includes("All done."))).toHaveLength(1);

    expect(await changesOf(drive, turn.turn_id)).toEqual([
      ["a.txt", "modified", "command"],
      ["b.txt", "added", "tool"],
    ]);
    expect(await hunksOf(drive, turn.turn_id, "b.txt")).toEqual(["+written by codex"]);
    await putBackAndUndo(drive, turn.turn_id, { "a.txt": "one\ntwo\n", "b.txt": null });
  });

  it("does not run what was refused", async () => {
    await using model = await ModelServer.start(
      scriptedTurns({ Begin: [escalated("touch refused.txt"), "I was refused."] }),
    );
    using home = new AgentHome("codex");
    environment(home.path, model.url);
    await using drive = await AgentDrive.start("codex-native", withItsOwnSandbox);
    const turn = await drive.prompt("Begin", () => "reject_once");
    expect(turn.status).toBe("ended");
    expect((await drive.permissions()).map(({ status }) => status)).toEqual(["denied"]);
    const ran = model.requests.flatMap(({ messages }) => messages).flatMap(({ toolResults = [] }) => toolResults);
    expect(ran.filter(({ text }) => text.includes("exited with code 0"))).toEqual([]);
  });

  it("lists its sessions, and one that the register does not have becomes a thread with its history", async () => {
    await using model = await ModelServer.start(
      scriptedTurns({ Begin: [escalated("cat a.txt"), "All done."], Again: ["Still here."] }),
    );
    using home = new AgentHome("codex");
    environment(home.path, model.url);
    await using drive = await AgentDrive.start("codex-native", withItsOwnSandbox);
    writeFileSync(drive.work.in("a.txt"), "one\n");
    await drive.prompt("Begin", () => "allow_once");
    await drive.forgetAndAdopt();
    // Without the warning about its model, which is not part of the conversation.
    expect(await drive.messages()).toEqual(["user: Begin", "assistant: All done."]);
    expect(await drive.agentSessions()).toMatchObject([{ thread_id: drive.threadId }]);
    expect(await drive.prompt("Again", () => "allow_once")).toMatchObject({ status: "ended", stop_reason: "end_turn" });
    expect((await drive.messages()).at(-1)).toMatch(/Still here\.$/);
  });
});
