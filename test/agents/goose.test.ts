// Goose from npm, which uses everything a client has: files, terminals and permissions.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { ModelServer } from "../support/model-server/model-server.ts";
import { AgentDrive, AgentHome } from "./agent-drive.ts";
import { goose, installAgent } from "./install-agents.ts";
import { changesOf, hunksOf, putBackAndUndo } from "./review-changes.ts";
import { scriptedTurns } from "./scripted-turn.ts";

beforeAll(async () => {
  const programs = await installAgent(goose);
  vi.stubEnv("PATH", `${programs}:${process.env.PATH}`);
});

function environment(home: string, url: string): void {
  const values = {
    HOME: home,
    XDG_CONFIG_HOME: `${home}/config`,
    XDG_DATA_HOME: `${home}/data`,
    XDG_STATE_HOME: `${home}/state`,
    GOOSE_PROVIDER: "openai",
    GOOSE_MODEL: "gpt-4o",
    GOOSE_DISABLE_KEYRING: "1",
    OPENAI_HOST: url,
    OPENAI_API_KEY: "not-a-key",
  };
  for (const [name, value] of Object.entries(values)) vi.stubEnv(name, value);
}

describe("Goose, through the host", () => {
  it("runs a command and writes a file after it was allowed to, goes on after a restart, and what it changed is put back", async () => {
    let path = "";
    await using model = await ModelServer.start((request) =>
      scriptedTurns({
        Begin: [
          { name: "shell", input: { command: "cat a.txt && echo from-the-terminal && echo three >> a.txt" } },
          { name: "write", input: { path, content: "written by goose\n" } },
          "All done.",
        ],
        Again: ["Still here."],
      })(request),
    );
    using home = new AgentHome("goose");
    environment(home.path, model.url);
    await using drive = await AgentDrive.start("goose");
    path = drive.work.in("b.txt");
    writeFileSync(drive.work.in("a.txt"), "one\ntwo\n");

    const turn = await drive.prompt("Begin", () => "allow_once");
    expect(turn).toMatchObject({ status: "ended", stop_reason: "end_turn", error: null });
    expect(readFileSync(path, "utf8")).toBe("written by goose\n");
    expect(await drive.messages()).toEqual(["user: Begin", "assistant: All done."]);
    // Goose's two calls, and the host's command and write for them.
    const calls = await drive.toolCalls();
    expect(calls.map(({ status }) => status)).toEqual(["completed", "completed", "completed", "completed"]);
    expect(await drive.terminals()).toMatchObject([{ exit_code: 0, output: "one\ntwo\nfrom-the-terminal\n" }]);
    const permissions = await drive.permissions();
    expect(permissions.length).toBeGreaterThanOrEqual(2);
    expect(new Set(permissions.map(({ status }) => status))).toEqual(new Set(["allowed"]));
    expect(await drive.requestedMethods()).toEqual(
      expect.arrayContaining(["terminal/create", "fs/write_text_file"]) as unknown,
    );

    await drive.restart();
    expect(await drive.prompt("Again", () => "allow_once")).toMatchObject({ status: "ended", stop_reason: "end_turn" });
    // What the agent told again when it loaded its session is there once.
    expect(await drive.messages()).toEqual([
      "user: Begin",
      "assistant: All done.",
      "user: Again",
      "assistant: Still here.",
    ]);
    expect(await drive.toolCalls()).toHaveLength(calls.length);

    expect(await changesOf(drive, turn.turn_id)).toEqual([
      ["a.txt", "modified", "command"],
      ["b.txt", "added", "tool"],
    ]);
    expect(await hunksOf(drive, turn.turn_id, "a.txt")).toEqual([" one", " two", "+three"]);
    await putBackAndUndo(drive, turn.turn_id, { "a.txt": "one\ntwo\n", "b.txt": null });
  });

  it("touches nothing that it was refused", async () => {
    let path = "";
    await using model = await ModelServer.start((request) =>
      scriptedTurns({ Begin: [{ name: "write", input: { path, content: "no" } }, "I was refused."] })(request),
    );
    using home = new AgentHome("goose");
    environment(home.path, model.url);
    await using drive = await AgentDrive.start("goose");
    path = drive.work.in("refused.txt");
    const turn = await drive.prompt("Begin", () => "reject_once");
    expect(turn.status).toBe("ended");
    expect(existsSync(path)).toBe(false);
    expect((await drive.permissions()).map(({ status }) => status)).toEqual(["denied"]);
  });

  it("lists its sessions, and one that the register does not have becomes a thread with its history", async () => {
    await using model = await ModelServer.start(
      scriptedTurns({
        Begin: [{ name: "shell", input: { command: "cat a.txt" } }, "All done."],
        Again: ["Still here."],
      }),
    );
    using home = new AgentHome("goose");
    environment(home.path, model.url);
    // As in a terminal: a session that was made in the sandbox belongs to its thread and goes with it.
    await using drive = await AgentDrive.start("goose", { inside: false });
    writeFileSync(drive.work.in("a.txt"), "one\n");
    await drive.prompt("Begin", () => "allow_once");
    const told = await drive.messages();
    await drive.forgetAndAdopt();
    expect(await drive.messages()).toEqual(told);
    expect(await drive.toolCalls()).toMatchObject([{ status: "completed" }]);
    expect(await drive.agentSessions()).toMatchObject([{ thread_id: drive.threadId }]);
    expect(await drive.prompt("Again", () => "allow_once")).toMatchObject({ status: "ended", stop_reason: "end_turn" });
    expect(await drive.messages()).toEqual([...told, "user: Again", "assistant: Still here."]);
  });
});
