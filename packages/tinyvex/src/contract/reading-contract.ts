// Tests reading: what is published can be read, pages join, and a screen that follows has the same as a new one.
import { once } from "node:events";
import { applyChange, applySnapshot, type ThreadChange, type ThreadView } from "@signalbox/protocol";
import { expect, it } from "vitest";
import type { Entry, LogEvent } from "../register.ts";
import {
  endTurn,
  fact,
  output,
  says,
  threadWithTurn,
  toolCall,
  toolUpdate,
  update,
  updateLine,
} from "../testing/entries.ts";
import { type Engine, isReadable, isThreadChange, nameItem, timeline, visiblePart } from "./looking.ts";

function fail(): never {
  throw new Error("no screen");
}

export function readingContract(open: Engine): void {
  it("[R1] nothing is published before it can be read, and everything that is stored is published", async () => {
    const { register } = await open();
    const seen: Promise<boolean>[] = [];
    register.onChanges((changes) => {
      for (const change of changes) if ("seq" in change) seen.push(isReadable(register, change));
    });
    const id = await threadWithTurn(register);
    register.append(id, says("a"));
    register.append(id, toolCall("t", output("x")));
    register.append(
      id,
      update({ sessionUpdate: "plan", entries: [{ content: "c", priority: "low", status: "pending" }] }),
    );
    endTurn(register, id, "turn-1");
    await register.settled(id);
    expect(seen.length).toBeGreaterThan(5);
    expect(await Promise.all(seen)).not.toContain(false);
  });

  it("a client that applies the changes to a snapshot has what a fresh snapshot has", async () => {
    const { register } = await open();
    const id = await threadWithTurn(register);
    let view: ThreadView = applySnapshot(null, await register.snapshot(id));
    register.onChanges((changes) => {
      for (const change of changes) if (isThreadChange(change)) view = applyChange(view, change);
    });
    register.append(id, says("half"));
    await register.settled(id);
    register.append(id, says(" and half"));
    register.append(id, toolCall("t", { status: "in_progress" }));
    register.append(id, toolUpdate("t", output("done")));
    register.append(id, fact({ type: "terminal_created", terminal_id: "x", command: "ls", cwd: null }));
    register.append(id, fact({ type: "terminal_output", terminal_id: "x", text: "a file" }));
    endTurn(register, id, "turn-1");
    await register.settled(id);
    expect(visiblePart(view)).toEqual(visiblePart(applySnapshot(null, await register.snapshot(id))));
  });

  it("after_seq gives what changed since, and only that", async () => {
    const { register } = await open();
    const id = await threadWithTurn(register);
    register.append(id, toolCall("old"));
    register.append(id, toolCall("changed"));
    await register.settled(id);
    const before = await register.snapshot(id);
    register.append(id, toolUpdate("changed", { title: "New title" }));
    register.append(id, says("new"));
    await register.settled(id);
    const newer = await register.snapshot(id, { after_seq: before.seq });
    expect(newer.newer_only).toBe(true);
    expect(newer.timeline.map(nameItem)).toEqual(["changed", "new"]);
    expect(applySnapshot(applySnapshot(null, before), newer)).toEqual(applySnapshot(null, await register.snapshot(id)));
  });

  it("a client whose line broke after any change has everything again, and nothing that is gone", async () => {
    const { register } = await open();
    const id = await threadWithTurn(register);
    const before = applySnapshot(null, await register.snapshot(id));
    const changes: ThreadChange[] = [];
    register.onChanges((made) => changes.push(...made.filter(isThreadChange)));
    const queued = { type: "turn_queued", prompt: [{ type: "text", text: "later" }] } as const;
    register.append(id, says("half"));
    register.append(id, toolCall("open"));
    register.append(id, fact({ ...queued, turn_id: "turn-2", prompt_id: "p-2" }));
    register.append(id, fact({ ...queued, turn_id: "turn-3", prompt_id: "p-3" }));
    register.append(id, fact({ type: "turn_removed", turn_id: "turn-2" }));
    register.append(id, says("the rest"));
    // Ends the text, the call and the turn in one event.
    endTurn(register, id, "turn-1");
    await register.settled(id);
    const whole = applySnapshot(null, await register.snapshot(id));
    expect(changes.length).toBeGreaterThan(6);
    for (let seen = 0; seen <= changes.length; seen++) {
      const view = changes.slice(0, seen).reduce(applyChange, before);
      const back = applySnapshot(view, await register.snapshot(id, { after_seq: view.seq }));
      expect(visiblePart(back)).toEqual(visiblePart(whole));
    }
  });

  it("when more changed than a page holds, the newest page comes instead", async () => {
    const { register } = await open();
    const id = await threadWithTurn(register);
    const { seq } = await register.snapshot(id);
    for (let index = 0; index < 8; index++) register.append(id, toolCall(`t${index}`));
    await register.settled(id);
    const snapshot = await register.snapshot(id, { after_seq: seq, limit: 5 });
    expect(snapshot).toMatchObject({ newer_only: false, has_more: true });
    expect(snapshot.timeline.map(nameItem)).toEqual(["t3", "t4", "t5", "t6", "t7"]);
  });

  it("pages of the timeline join without a gap or a double, both ways", async () => {
    const { register } = await open();
    const id = await threadWithTurn(register);
    for (let index = 0; index < 25; index++)
      register.append(id, index % 3 === 0 ? says(`s${index}`) : toolCall(`t${index}`));
    await register.settled(id);
    const all = await timeline(register, id);
    expect(all).toHaveLength(26);
    const backwards: string[] = [];
    for (let cursor: string | undefined, first = true; first || cursor !== undefined; first = false) {
      const page = await register.query("timeline.list", {
        thread_id: id,
        limit: 4,
        ...(cursor === undefined ? {} : { cursor }),
      });
      backwards.unshift(...page.rows.map(nameItem));
      cursor = page.next_cursor;
    }
    expect(backwards).toEqual(all);
    const forwards: string[] = [];
    for (let after = 0; forwards.length < all.length; ) {
      const { rows } = await register.query("timeline.list", { thread_id: id, limit: 4, after_seq: after });
      forwards.push(...rows.map(nameItem));
      after = Number(rows.at(-1)?.seq);
    }
    expect(forwards).toEqual(all);
  });

  it("threads are listed by their last activity, with counts", async () => {
    const { register } = await open();
    const first = await threadWithTurn(register);
    const second = await register.createThread({ agent_id: "other", cwd: "/elsewhere", title: "Named" });
    await new Promise((resolve) => setTimeout(resolve, 2));
    register.append(first, says("a"));
    register.append(first, toolCall("t"));
    await register.settled(first);
    const { rows } = await register.query("threads.list", {});
    expect(rows).toMatchObject([
      { id: first, message_count: 2, tool_call_count: 1, status: "running" },
      { id: second.id, message_count: 0, tool_call_count: 0, title: "Named" },
    ]);
    await register.updateThread(second.id, { archived: true });
    expect((await register.query("threads.list", {})).rows).toHaveLength(1);
    expect((await register.query("threads.list", { archived: true })).rows).toMatchObject([{ id: second.id }]);
  });

  it("what is asked wrongly, or of something that is not there, is refused with a code", async () => {
    const { register } = await open();
    await expect(register.query("timeline.list", { thread_id: "none" })).rejects.toMatchObject({ code: "not_found" });
    await expect(register.query("threads.list", { cursor: "nonsense" })).rejects.toMatchObject({
      code: "bad_request",
    });
    await expect(register.snapshot("none")).rejects.toMatchObject({ code: "not_found" });
    await expect(register.updateThread("none", { title: "x" })).rejects.toMatchObject({ code: "not_found" });
    await expect(register.deleteThread("none")).rejects.toMatchObject({ code: "not_found" });
    await expect(register.readBlob("0".repeat(64))).rejects.toMatchObject({ code: "not_found" });
    register.append("none", says("into the void"));
    await expect(register.settled("none")).rejects.toMatchObject({ code: "not_found" });
  });

  it("listeners hear commits in order, also when one of them writes", async () => {
    const { register } = await open();
    const id = await threadWithTurn(register);
    register.onChanges((changes) => {
      if (
        changes.some((change) => change.stream === "tool_calls" && "row" in change && change.row.tool_call_id === "1")
      ) {
        register.append(id, toolCall("2"));
        void register.settled(id);
      }
    });
    const heard: number[] = [];
    register.onChanges((changes) => {
      for (const change of changes) if ("seq" in change) heard.push(change.seq);
    });
    register.append(id, toolCall("1"));
    await register.settled(id);
    expect(heard.length).toBeGreaterThan(1);
    expect(heard).toEqual(heard.toSorted((a, b) => a - b));
  });

  it("a listener that throws fails nothing but itself", async () => {
    const { register } = await open();
    const id = await threadWithTurn(register);
    const heard: number[] = [];
    const warned = once(process, "warning");
    register.onChanges(fail);
    register.followLog(id, fail);
    register.onChanges((changes) => {
      for (const change of changes) if ("seq" in change) heard.push(change.seq);
    });
    register.append(id, says("a"));
    await register.settled(id);
    expect(heard.length).toBeGreaterThan(0);
    expect(await warned).toMatchObject([{ message: "A listener of the register failed: no screen" }]);
  });

  it("[R3] who follows the log gets each chunk as it was sent, after the commit, and who reads it gets them merged", async () => {
    const { register } = await open();
    const id = await threadWithTurn(register);
    const strange = '{"sessionUpdate":"dream","at":1.0,"big":12345678901234567890,"at":2e0}';
    const big = `{"sessionUpdate":"tool_call","toolCallId":"t","content":[{"type":"content","content":{"type":"text","text":"${"x".repeat(70_000)}"}}]}`;
    const heard: LogEvent[] = [];
    const stop = register.followLog(id, (events) => heard.push(...events));
    const before = (await register.getThread(id))?.last_seq ?? 0;
    for (const sent of [makeChunk("a"), makeChunk("b\\u00e9"), strange, big]) register.append(id, sentLine(sent));
    await register.settled(id);
    stop();
    register.append(id, sentLine(makeChunk("later")));
    await register.settled(id);
    expect(heard).toEqual([
      {
        seq: before + 1,
        kind: "agent_message_chunk",
        sent: [
          { json: readParams(makeChunk("a")), end: 1 },
          { json: readParams(makeChunk("b\\u00e9")), end: 3 },
        ],
      },
      { seq: before + 2, kind: "dream", sent: [{ json: readParams(strange), end: 0 }] },
      { seq: before + 3, kind: "tool_call", sent: null },
    ]);
    const read = await register.readSent(id, before, 10);
    expect(read.map(({ seq }) => seq)).toEqual([1, 2, 3, 4].map((step) => before + step));
    expect(JSON.parse(read[0]?.sent?.[0]?.json ?? "")).toMatchObject({
      update: { content: { text: "abé" } },
      chunks: 2,
    });
    expect(read[1]?.sent?.[0]?.json).toBe(readParams(strange));
    expect(read[2]?.sent?.[0]?.json).toBe(readParams(big));
    expect((await register.readSent(id, before, 2)).length).toBe(2);
    await expect(register.readSent("none", 0, 1)).rejects.toMatchObject({ code: "not_found" });
  });
}

function sentLine(sent: string): Entry {
  return updateLine(`{"jsonrpc":"2.0","method":"session/update","params":${readParams(sent)}}`);
}

function readParams(sent: string): string {
  return `{"sessionId":"s","update":${sent}}`;
}

function makeChunk(text: string): string {
  return `{"sessionUpdate":"agent_message_chunk","content":{"text":"${text}","type":"text"}}`;
}
