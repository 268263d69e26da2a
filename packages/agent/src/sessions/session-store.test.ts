// What is kept of a session and how it is read back, whatever state its file is in.
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SessionUpdate } from "@agentclientprotocol/sdk";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { foldUpdates, type SessionHead, type SessionRecord } from "./session-records.ts";
import { SessionStore } from "./session-store.ts";

const id = "3e23bfe2-457b-4d60-a2cb-bff4d0095397";
const head: SessionHead = { type: "session", version: 1, id, cwd: "/p", additionalDirectories: [], createdAt: "now" };
const said = (text: string): SessionRecord => ({
  type: "message",
  message: { role: "user", content: [{ type: "text", text }] },
});

class Folder implements Disposable {
  readonly path = mkdtempSync(join(tmpdir(), "agent-store-"));
  readonly file = join(this.path, "agent-sessions", `${id}.jsonl`);

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}

function stored(store: SessionStore, records: readonly SessionRecord[]): void {
  const file = store.create(head);
  for (const record of records) file.append(record);
  file.close();
}

const texts = async (store: SessionStore, beforePrompt?: string) =>
  (await store.read(id, beforePrompt))?.messages.map((message) =>
    message.role === "user" && message.content[0]?.type === "text" ? message.content[0].text : "",
  );

describe("the file of a session", () => {
  it("gives back what was appended, in order", async () => {
    using folder = new Folder();
    const store = new SessionStore(folder.path);
    stored(store, [said("a"), { type: "state", state: { title: "T" } }, said("b")]);
    expect(await texts(store)).toEqual(["a", "b"]);
    expect((await store.read(id))?.state.title).toBe("T");
    expect(readFileSync(folder.file, "utf8").split("\n")).toHaveLength(5);
  });

  it("gives back what it was before a prompt, also before a compaction, with the settings of now", async () => {
    using folder = new Folder();
    const store = new SessionStore(folder.path);
    const compacted: SessionRecord = { type: "history", messages: [] };
    const state: SessionRecord = { type: "state", state: { model: "new" } };
    stored(store, [{ type: "prompt", id: "p1" }, said("a"), { type: "prompt", id: "p2" }, said("b"), compacted, state]);
    expect(await texts(store, "p1")).toEqual([]);
    expect(await texts(store, "p2")).toEqual(["a"]);
    expect(await texts(store)).toEqual([]);
    expect((await store.read(id, "p2"))?.state.model).toBe("new");
    expect(await store.read(id, "p3")).toBeUndefined();
  });

  it("may end anywhere: whole lines stay, and what comes next is readable", async () => {
    using folder = new Folder();
    const store = new SessionStore(folder.path);
    stored(store, [said("a"), said("b"), said("c")]);
    const whole = readFileSync(folder.file);
    const headLength = whole.indexOf(10) + 1;
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: headLength, max: whole.length }), async (end) => {
        writeFileSync(folder.file, whole.subarray(0, end));
        const file = store.open(id);
        file.append(said("after"));
        file.close();
        const before = ["a", "b", "c"].slice(0, whole.subarray(headLength, end).toString().split("\n").length - 1);
        const read = (await texts(store)) ?? [];
        // A line that lacks only its end is whole, too.
        expect([before, [...before, ["a", "b", "c"][before.length]]]).toContainEqual(read.slice(0, -1));
        expect(read.at(-1)).toBe("after");
      }),
    );
  });

  it("may hold lines of another world", async () => {
    using folder = new Folder();
    const store = new SessionStore(folder.path);
    stored(store, [said("a")]);
    appendFileSync(folder.file, 'garbage\n{"type":"later version"}\n[]\n\u0000\n');
    appendFileSync(folder.file, `${JSON.stringify(said("b"))}\n`);
    expect(await texts(store)).toEqual(["a", "b"]);
  });

  it("forgets what a compaction replaced, but only for the model", async () => {
    using folder = new Folder();
    const store = new SessionStore(folder.path);
    const update: SessionUpdate = { sessionUpdate: "user_message_chunk", content: { type: "text", text: "a" } };
    const { message } = said("summary") as Extract<SessionRecord, { type: "message" }>;
    stored(store, [{ type: "update", update }, said("a"), { type: "history", messages: [message] }, said("b")]);
    expect(await texts(store)).toEqual(["summary", "b"]);
    expect((await store.read(id))?.updates).toEqual([update]);
  });

  it("is not found under a name that is no session's", async () => {
    using folder = new Folder();
    const store = new SessionStore(folder.path);
    writeFileSync(join(folder.path, "secret.jsonl"), `${JSON.stringify(head)}\n`);
    for (const name of ["../secret", "", "x", `${id}/../../secret`]) {
      expect(await store.read(name)).toBeUndefined();
      expect(await store.delete(name)).toBe(false);
    }
  });

  it("tells when the disk does not take it", async () => {
    using folder = new Folder();
    const store = new SessionStore(folder.path);
    const file = store.create(head);
    file.close();
    rmSync(join(folder.path, "agent-sessions"), { recursive: true });
    writeFileSync(join(folder.path, "agent-sessions"), "not a folder");
    const lost = store.open(id);
    lost.append(said("a"));
    expect(lost.takeProblem()?.message).toContain("ENOTDIR");
    expect(lost.takeProblem()).toBeUndefined();
  });
});

describe("what is shown again", () => {
  it("has each call once, where it began and as it ended", () => {
    const updates: SessionUpdate[] = [
      { sessionUpdate: "tool_call", toolCallId: "1", title: "read", status: "pending" },
      { sessionUpdate: "plan", entries: [] },
      { sessionUpdate: "tool_call", toolCallId: "2", title: "bash", status: "pending" },
      { sessionUpdate: "tool_call_update", toolCallId: "1", status: "completed", title: "Read `a`" },
      { sessionUpdate: "tool_call_update", toolCallId: "1", status: "in_progress", title: null },
      { sessionUpdate: "plan", entries: [{ content: "x", priority: "low", status: "completed" }] },
    ];
    expect(foldUpdates(updates)).toEqual([
      { sessionUpdate: "tool_call", toolCallId: "1", title: "Read `a`", status: "completed" },
      { sessionUpdate: "tool_call", toolCallId: "2", title: "bash", status: "failed" },
      updates[5],
    ]);
  });
});
