// Runs the example as a process of its own and drives it with the official SDK's client over its real stdin and stdout.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import {
  type ClientConnection,
  client,
  ndJsonStream,
  PROTOCOL_VERSION,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionUpdate,
} from "@agentclientprotocol/sdk";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

let folder: string;
let child: ChildProcess;
let connection: ClientConnection;
let sessionId: string;
let errors = "";
let answer: (question: RequestPermissionRequest) => RequestPermissionResponse | Promise<RequestPermissionResponse>;
const updates: SessionUpdate[] = [];
const questions: RequestPermissionRequest[] = [];

const choose = (optionId: string): RequestPermissionResponse => ({ outcome: { outcome: "selected", optionId } });
const notes = () => join(folder, "notes.txt");
const prompt = (text: string) =>
  connection.agent.request("session/prompt", { sessionId, prompt: [{ type: "text", text }] });
const statuses = () => updates.map((update) => ("status" in update ? update.status : update.sessionUpdate));

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "tool-calls-example-"));
  updates.length = 0;
  questions.length = 0;
  errors = "";
  const started = spawn(process.execPath, [join(import.meta.dirname, "agent.mts")], { stdio: "pipe" });
  child = started;
  started.stderr.on("data", (chunk: Buffer) => {
    errors += chunk.toString();
  });
  connection = client({ name: "test" })
    .onNotification("session/update", ({ params }) => {
      updates.push(params.update);
    })
    .onRequest("session/request_permission", ({ params }) => {
      questions.push(params);
      return answer(params);
    })
    .connect(ndJsonStream(Writable.toWeb(started.stdin), Readable.toWeb(started.stdout)));
  await connection.agent.request("initialize", { protocolVersion: PROTOCOL_VERSION });
  ({ sessionId } = await connection.agent.request("session/new", { cwd: folder, mcpServers: [] }));
});

afterEach(async () => {
  const exited = once(child, "exit");
  child.stdin?.end();
  await exited;
  connection.close();
  await rm(folder, { recursive: true });
});

describe("the example agent", () => {
  it("shows a call from its announcement to its end, before its answer", async () => {
    answer = () => choose("allow_once");
    await writeFile(notes(), "milk");
    expect(await prompt(`read ${notes()}`)).toMatchObject({ stopReason: "end_turn" });
    expect(updates).toMatchObject([
      {
        sessionUpdate: "tool_call",
        title: "Read `notes.txt`",
        name: "read",
        kind: "read",
        status: "pending",
        locations: [{ path: notes() }],
      },
      { sessionUpdate: "tool_call_update", status: "in_progress" },
      { status: "completed", content: [{ type: "content", content: { type: "text", text: "milk" } }] },
      { sessionUpdate: "agent_message_chunk", content: { text: "milk" } },
    ]);
    expect(errors).toBe("");
  });

  it("does what was allowed, asks about a call that was announced, and asks once for always", async () => {
    answer = ({ toolCall }) => {
      expect(updates.at(-1)).toMatchObject({ sessionUpdate: "tool_call", toolCallId: toolCall.toolCallId });
      return choose("allow_always");
    };
    await prompt(`write ${notes()} buy milk`);
    await prompt(`write ${notes()} buy bread`);
    expect(await readFile(notes(), "utf8")).toBe("buy bread");
    expect(questions).toHaveLength(1);
    expect(questions[0]?.toolCall).toMatchObject({ title: "Write `notes.txt`", kind: "edit" });
  });

  it("does nothing that was rejected, and says so to the person", async () => {
    answer = () => choose("reject_once");
    expect(await prompt(`write ${notes()} x`)).toMatchObject({ stopReason: "end_turn" });
    await expect(readFile(notes())).rejects.toThrow("ENOENT");
    expect(statuses()).toEqual(["pending", "failed", "agent_message_chunk"]);
    expect(updates.at(-1)).toMatchObject({ content: { text: expect.stringContaining("did not allow") } });
  });

  it("ends the call and the turn when the user cancels during the question", async () => {
    answer = () => new Promise(() => undefined);
    const turn = prompt(`write ${notes()} x`);
    await expect.poll(() => questions).toHaveLength(1);
    await connection.agent.notify("session/cancel", { sessionId });
    expect(await turn).toMatchObject({ stopReason: "cancelled" });
    expect(statuses()).toEqual(["pending", "failed"]);
    await expect(readFile(notes())).rejects.toThrow("ENOENT");
  });

  it("reports a tool that fails", async () => {
    answer = () => choose("allow_once");
    await prompt(`read ${notes()}`);
    expect(statuses()).toEqual(["pending", "in_progress", "failed", "agent_message_chunk"]);
    expect(updates[2]).toMatchObject({ content: [{ content: { text: expect.stringContaining("ENOENT") } }] });
  });
});
