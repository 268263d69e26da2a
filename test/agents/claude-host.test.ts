// Claude Code in our host, through `signalbox claude`; and the same story through the published adapter, which gives the same timeline.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { ModelServer } from "../support/model-server/model-server.ts";
import type { Reply } from "../support/model-server/script.ts";
import type { SeenRequest } from "../support/model-server/seen-request.ts";
import { AgentDrive, type Person } from "./agent-drive.ts";
import { ClaudeHome, claudeAcp, installClaudeSdk } from "./claude-home.ts";
import { installAgent } from "./install-agents.ts";
import { scriptedTurns } from "./scripted-turn.ts";

let modules = "";

beforeAll(async () => {
  modules = await installClaudeSdk();
  vi.stubEnv("PATH", `${await installAgent(claudeAcp)}:${process.env.PATH}`);
});

/** A host with the agent in it, whose model may need to know the folder. */
async function act<Result>(
  agentId: string,
  script: (folder: string, request: SeenRequest) => Reply,
  play: (drive: AgentDrive, model: ModelServer) => Promise<Result>,
  more: { readonly inside?: boolean } = {},
): Promise<Result> {
  let folder = "";
  await using model = await ModelServer.start((request) => script(folder, request));
  // The published adapter does not start for root without this. The mode stays the one that asks.
  using home = new ClaudeHome(modules, model.url, process.geteuid?.() === 0 ? { IS_SANDBOX: "1" } : {});
  for (const [name, value] of Object.entries(home.env)) vi.stubEnv(name, value);
  await using drive = await AgentDrive.start(agentId, { claudeFolder: join(home.path, ".signalbox/claude"), ...more });
  folder = drive.work.path;
  return await play(drive, model);
}

const allow: Person = () => "allow_once";

describe("Claude Code through the host", () => {
  it("reads, edits, writes and runs through the host, in its sandbox, and goes on after a restart", async () => {
    const script = (folder: string, request: SeenRequest) =>
      scriptedTurns({
        Begin: [
          { name: "Read", input: { file_path: join(folder, "a.txt") } },
          { name: "Edit", input: { file_path: join(folder, "a.txt"), old_string: "two", new_string: "2" } },
          { name: "Write", input: { file_path: join(folder, "b.txt"), content: "new\n" } },
          { name: "Bash", input: { command: "cat b.txt" } },
          { name: "Bash", input: { command: "echo started; sleep 60", run_in_background: true } },
          { name: "KillShell", input: { shell_id: "shell_1" } },
          "All done.",
        ],
        Again: ["Still here."],
      })(request);
    await act("claude", script, async (drive) => {
      writeFileSync(drive.work.in("a.txt"), "one\ntwo\n");
      const turn = await drive.prompt("Begin", allow);
      expect(turn).toMatchObject({ status: "ended", stop_reason: "end_turn", error: null });
      expect(readFileSync(drive.work.in("a.txt"), "utf8")).toBe("one\n2\n");
      expect(readFileSync(drive.work.in("b.txt"), "utf8")).toBe("new\n");
      const calls = await drive.toolCalls();
      // Each command is also an item of the host's own.
      expect(calls.map(({ name, status }) => `${name} ${status}`)).toEqual([
        "Read completed",
        "Edit completed",
        "Write completed",
        "Bash completed",
        "signalbox completed",
        "Bash completed",
        "signalbox failed",
        "KillShell completed",
      ]);
      const [run, background] = await drive.terminals();
      expect(run).toMatchObject({ command: "cat b.txt", exit_code: 0, output: "new\n" });
      expect(background).toMatchObject({ command: "echo started; sleep 60", signal: "SIGKILL" });
      expect(background?.ended_at).not.toBeNull();
      // Each of them is asked about once, although it is asked for twice: by Claude Code and by the host.
      expect((await drive.permissions()).map(({ status }) => status)).toEqual(Array(4).fill("allowed"));
      expect(await drive.requestedMethods()).toEqual(
        expect.arrayContaining(["fs/read_text_file", "fs/write_text_file", "terminal/create"]) as unknown,
      );

      await drive.restart();
      expect(await drive.prompt("Again", allow)).toMatchObject({ status: "ended", stop_reason: "end_turn" });
      expect(await drive.messages()).toEqual([
        "user: Begin",
        "assistant: All done.",
        "user: Again",
        "assistant: Still here.",
      ]);
      expect(await drive.toolCalls()).toHaveLength(calls.length);
    });
  });

  it("touches nothing that was refused", async () => {
    const script = (folder: string, request: SeenRequest) =>
      scriptedTurns({
        Begin: [{ name: "Write", input: { file_path: join(folder, "no.txt"), content: "no" } }, "I was refused."],
      })(request);
    await act("claude", script, async (drive) => {
      expect(await drive.prompt("Begin", () => "reject_once")).toMatchObject({
        status: "ended",
        stop_reason: "end_turn",
      });
      expect(existsSync(drive.work.in("no.txt"))).toBe(false);
      expect((await drive.permissions()).map(({ status }) => status)).toEqual(["denied"]);
      expect(await drive.toolCalls()).toMatchObject([{ status: "failed" }]);
    });
  });

  it("ends a command that is cancelled", async () => {
    const script = (_: string, request: SeenRequest) =>
      scriptedTurns({ Begin: [{ name: "Bash", input: { command: "echo on; sleep 60" } }, "?"] })(request);
    await act("claude", script, async (drive) => {
      const turn = drive.prompt("Begin", allow);
      await expect.poll(async () => (await drive.terminals())[0]?.output, { timeout: 60_000 }).toBe("on\n");
      await drive.screen.ask("run.cancel", { thread_id: drive.threadId });
      expect(await turn).toMatchObject({ status: "ended", stop_reason: "cancelled" });
      expect((await drive.toolCalls()).map(({ name, status }) => `${name} ${status}`)).toEqual([
        "Bash failed",
        "signalbox failed",
      ]);
      expect((await drive.terminals())[0]?.ended_at).not.toBeNull();
    });
  });
});

describe("the published adapter", () => {
  it("gives the same timeline for the same story", async () => {
    const story = (folder: string, { tools, messages }: SeenRequest): Reply => {
      const path = join(folder, "a.txt");
      const steps: Reply[] = [
        { thinking: "First I look.", text: "I read.", toolCalls: [{ name: "Read", input: { file_path: path } }] },
        {
          text: "I change.",
          toolCalls: [{ name: "Edit", input: { file_path: path, old_string: "two", new_string: "2" } }],
        },
        { text: "I add.", toolCalls: [{ name: "Write", input: { file_path: join(folder, "b.txt"), content: "b\n" } }] },
        { text: "I run.", toolCalls: [{ name: "Bash", input: { command: "cat a.txt b.txt" } }] },
        { text: "I fail.", toolCalls: [{ name: "Bash", input: { command: "exit 3" } }] },
        // The first turn ends here, the second is refused what it wants.
        messages.some(({ text }) => text.includes("Again"))
          ? {
              text: "I try.",
              toolCalls: [{ name: "Write", input: { file_path: join(folder, "no.txt"), content: "no" } }],
            }
          : { text: "All done." },
        { text: "Refused." },
      ];
      if (tools.length === 0) return { text: "A title" };
      return steps[messages.flatMap(({ toolResults = [] }) => toolResults).length] ?? { text: "?" };
    };
    const told = async (agentId: string) =>
      await act(agentId, story, async (drive) => {
        writeFileSync(drive.work.in("a.txt"), "one\ntwo\n");
        const first = await drive.prompt("Begin", allow);
        const second = await drive.prompt("Again", () => "reject_once");
        return {
          ends: [first.stop_reason, second.stop_reason],
          shape: await shapeOf(drive),
          files: ["a.txt", "b.txt"].map((name) => readFileSync(drive.work.in(name), "utf8")),
          refused: existsSync(drive.work.in("no.txt")),
        };
      });
    const ours = await told("claude");
    expect(ours.shape).toEqual([
      "user message",
      "assistant reason",
      "assistant message",
      "read completed",
      "assistant message",
      "edit completed",
      "assistant message",
      "edit completed",
      "assistant message",
      "execute completed",
      "assistant message",
      "execute failed",
      "assistant message",
      "user message",
      "assistant message",
      "edit failed",
      "assistant message",
    ]);
    expect(ours).toEqual(await told("claude-code"));
  });
});

describe("sessions of the published adapter", () => {
  const script = (folder: string, request: SeenRequest) =>
    scriptedTurns({
      Begin: [{ name: "Read", input: { file_path: join(folder, "a.txt") } }, "I have read it."],
      Again: ["Still here."],
      Other: ["Elsewhere."],
    })(request);

  it("are listed, and one that the register does not have becomes a thread with its history", async () => {
    const play = async (drive: AgentDrive) => {
      writeFileSync(drive.work.in("a.txt"), "one\n");
      await drive.prompt("Begin", allow);
      const told = await drive.messages();
      await drive.forgetAndAdopt();
      expect(await drive.messages()).toEqual(told);
      expect(await drive.toolCalls()).toMatchObject([{ status: "completed" }]);
      expect(await drive.agentSessions()).toMatchObject([{ thread_id: drive.threadId }]);
      expect(await drive.prompt("Again", allow)).toMatchObject({ status: "ended", stop_reason: "end_turn" });
      expect(await drive.messages()).toEqual([...told, "user: Again", "assistant: Still here."]);
    };
    // As in a terminal: a session that was made in the sandbox belongs to its thread and goes with it.
    await act("claude-code", script, play, { inside: false });
  });

  it("are forked: the fork knows what was said, and neither hears of the other any more", async () => {
    await act("claude-code", script, async (drive, model) => {
      writeFileSync(drive.work.in("a.txt"), "one\n");
      await drive.prompt("Begin", allow);
      const parent = drive.threadId;
      await drive.fork();
      expect(drive.threadId).not.toBe(parent);
      expect(await drive.prompt("Other", allow)).toMatchObject({ status: "ended", stop_reason: "end_turn" });
      expect(await drive.messages()).toEqual(["user: Other", "assistant: Elsewhere."]);
      const heard = () =>
        model.requests
          .at(-1)
          ?.messages.map(({ text }) => text)
          .join("\n");
      expect(heard()).toContain("I have read it.");

      await drive.restart();
      expect(await drive.prompt("Again", allow)).toMatchObject({ status: "ended", stop_reason: "end_turn" });
      expect(await drive.messages()).toEqual([
        "user: Other",
        "assistant: Elsewhere.",
        "user: Again",
        "assistant: Still here.",
      ]);
      drive.threadId = parent;
      expect(await drive.messages()).toEqual(["user: Begin", "assistant: I have read it."]);
    });
  });
});

/** Who said or did what, in order, and how it ended. */
async function shapeOf(drive: AgentDrive): Promise<readonly string[]> {
  const args = { thread_id: drive.threadId, limit: 500 };
  const { rows } = await drive.screen.query("timeline.list", args);
  // The host's own items show the commands that run through it. The published adapter runs them itself.
  const told = rows.filter((item) => item.type === "message" || item.name !== "signalbox");
  return told.map((item) => (item.type === "message" ? `${item.role} ${item.kind}` : `${item.kind} ${item.status}`));
}
