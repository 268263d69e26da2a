// What every engine of the register must do, as a suite that its tests run. SQLite is the first; another one passes the
// same before the host may stand on it.
import {
  applyChange,
  applySnapshot,
  type Change,
  type MessageRow,
  type ThreadChange,
  type ThreadView,
  type ToolCallRow,
} from "@signalbox/protocol";
import { describe, expect, test } from "vitest";
import type { Register } from "./register.ts";
import {
  endTurn,
  fact,
  output,
  says,
  startTurn,
  thinks,
  threadWithTurn,
  toolCall,
  toolUpdate,
  update,
} from "./testing/entries.ts";
import { PATIENT } from "./testing/temporary-register.ts";

/** A fresh register, closed by the suite's caller when the test ends. */
export type Engine = () => Promise<{ readonly register: Register; reopen(): Promise<Register> }>;

export function registerContract(engine: string, open: Engine): void {
  describe(`${engine} keeps the register's contract`, PATIENT, () => {
    test("text, tool, text, tool, text stays five items in that order", async () => {
      const { register } = await open();
      const id = await threadWithTurn(register);
      register.append(id, says("one "));
      register.append(id, says("and more"));
      register.append(id, toolCall("a"));
      register.append(id, says("two"));
      register.append(id, toolCall("b"));
      register.append(id, says("three"));
      register.append(id, toolUpdate("a", { status: "completed" }));
      await register.settled(id);
      expect((await timeline(register, id)).slice(1)).toEqual(["one and more", "a", "two", "b", "three"]);
    });

    test("a thought and an answer are two messages, and an update of a tool call does not part an answer", async () => {
      const { register } = await open();
      const id = await threadWithTurn(register);
      register.append(id, thinks("hm"));
      register.append(id, toolCall("a"));
      register.append(id, says("It is "));
      register.append(id, toolUpdate("a", { status: "completed" }));
      register.append(id, says("done"));
      await register.settled(id);
      expect((await timeline(register, id)).slice(1)).toEqual(["hm", "a", "It is done"]);
      const { rows } = await register.query("messages.list", { thread_id: id });
      expect(rows.map(({ role, kind }) => [role, kind])).toEqual([
        ["user", "message"],
        ["assistant", "reason"],
        ["assistant", "message"],
      ]);
    });

    test("another message id begins another message", async () => {
      const { register } = await open();
      const id = await threadWithTurn(register);
      register.append(id, says("first", { messageId: "m1" }));
      register.append(id, says(" still first", { messageId: "m1" }));
      register.append(id, says("second", { messageId: "m2" }));
      await register.settled(id);
      expect((await timeline(register, id)).slice(1)).toEqual(["first still first", "second"]);
    });

    test("nothing is published before it can be read, and everything that is stored is published", async () => {
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

    test("a client that applies the changes to a snapshot has what a fresh snapshot has", async () => {
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
      expect(shown(view)).toEqual(shown(applySnapshot(null, await register.snapshot(id))));
    });

    test("after_seq gives what changed since, and only that", async () => {
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
      expect(newer.timeline.map(nameOf)).toEqual(["changed", "new"]);
      expect(applySnapshot(applySnapshot(null, before), newer)).toEqual(
        applySnapshot(null, await register.snapshot(id)),
      );
    });

    test("when more changed than a page holds, the newest page comes instead", async () => {
      const { register } = await open();
      const id = await threadWithTurn(register);
      const { seq } = await register.snapshot(id);
      for (let index = 0; index < 8; index++) register.append(id, toolCall(`t${index}`));
      await register.settled(id);
      const snapshot = await register.snapshot(id, { after_seq: seq, limit: 5 });
      expect(snapshot).toMatchObject({ newer_only: false, has_more: true });
      expect(snapshot.timeline.map(nameOf)).toEqual(["t3", "t4", "t5", "t6", "t7"]);
    });

    test("pages of the timeline join without a gap or a double, both ways", async () => {
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
        backwards.unshift(...page.rows.map(nameOf));
        cursor = page.next_cursor;
      }
      expect(backwards).toEqual(all);
      const forwards: string[] = [];
      for (let after = 0; forwards.length < all.length; ) {
        const { rows } = await register.query("timeline.list", { thread_id: id, limit: 4, after_seq: after });
        forwards.push(...rows.map(nameOf));
        after = Number(rows.at(-1)?.["seq"]);
      }
      expect(forwards).toEqual(all);
    });

    test("what an agent sends that nobody knows is in the log as it was sent", async () => {
      const { register } = await open();
      const id = await threadWithTurn(register);
      const strange = {
        sessionUpdate: "dream",
        depth: 3,
        _meta: { why: "not" },
        parts: [{ type: "hologram", x: [1, null] }],
      };
      register.append(id, update(strange));
      register.append(id, toolCall("t", { kind: "teleport", status: "floating", spin: "left" }));
      register.append(id, { type: "notification", method: "_x.ai/pulse", params: { beat: 1 } });
      await register.settled(id);
      const { rows } = await register.query("events.list", { thread_id: id });
      expect(rows.at(-3)).toMatchObject({ kind: "dream", payload: { sessionId: "session-1", update: strange } });
      expect(rows.at(-2)).toMatchObject({
        kind: "tool_call",
        payload: { update: { status: "floating", spin: "left" } },
      });
      expect(rows.at(-1)).toMatchObject({ kind: "_x.ai/pulse", payload: { beat: 1 } });
      expect(await toolCallRow(register, id, "t")).toMatchObject({ kind: "teleport", status: "floating" });
    });

    test("a malformed update is logged as such and harms nothing", async () => {
      const { register } = await open();
      const id = await threadWithTurn(register);
      register.append(id, says("before"));
      for (const params of [null, 7, "text", [], {}, { update: null }, { update: { sessionUpdate: 5 } }]) {
        register.append(id, { type: "update", params });
      }
      register.append(id, update({ sessionUpdate: "agent_message_chunk" }));
      register.append(id, update({ sessionUpdate: "tool_call_update", status: "completed" }));
      register.append(id, says(" and after"));
      await register.settled(id);
      expect((await timeline(register, id)).slice(1)).toEqual(["before and after"]);
      const { rows } = await register.query("events.list", { thread_id: id });
      expect(rows.filter(({ kind }) => kind === "signalbox/malformed")).toHaveLength(7);
      expect(rows.map(({ seq }) => seq)).toEqual(rows.map((_, index) => index + 1));
    });

    test("the end of a turn ends its tool calls, its questions and its text", async () => {
      const { register } = await open();
      const id = await threadWithTurn(register);
      register.append(id, toolCall("open", { status: "in_progress" }));
      register.append(id, toolCall("done", { status: "completed" }));
      const question = { toolCallId: "never-announced", title: "rm -rf" };
      register.append(id, fact({ type: "permission_requested", permission_id: "p", tool_call: question, options: [] }));
      await register.settled(id);
      expect((await register.getThread(id))?.status).toBe("waiting");
      register.append(id, says("text"));
      endTurn(register, id, "turn-1");
      await register.settled(id);
      expect(await toolCallRow(register, id, "open")).toMatchObject({ status: "failed", ended_at: expect.any(Number) });
      expect(await toolCallRow(register, id, "done")).toMatchObject({ status: "completed", content: [] });
      expect(await toolCallRow(register, id, "never-announced")).toMatchObject({ status: "failed", title: "rm -rf" });
      const snapshot = await register.snapshot(id);
      expect(snapshot.permissions).toMatchObject([{ status: "cancelled" }]);
      expect(snapshot.timeline.filter((item) => item.type === "message" && item.partial)).toEqual([]);
      expect(snapshot.thread.status).toBe("idle");
    });

    test("late news refine a tool call that has ended, and never open it again", async () => {
      const { register } = await open();
      const id = await threadWithTurn(register);
      register.append(id, toolCall("a", { status: "in_progress" }));
      register.append(id, toolCall("b", { status: "completed" }));
      endTurn(register, id, "turn-1");
      register.append(id, toolUpdate("a", { status: "completed", ...output("it did end") }));
      register.append(id, toolUpdate("b", { status: "in_progress", title: "Better title" }));
      register.append(id, toolCall("c", { status: "in_progress" }));
      await register.settled(id);
      expect(await toolCallRow(register, id, "a")).toMatchObject({ status: "completed", ...output("it did end") });
      expect(await toolCallRow(register, id, "b")).toMatchObject({ status: "completed", title: "Better title" });
      expect(await toolCallRow(register, id, "c")).toMatchObject({ status: "failed" });
    });

    test("a turn ends once, and what is told of it later changes nothing", async () => {
      const { register } = await open();
      const id = await threadWithTurn(register);
      endTurn(register, id, "turn-1", { inputTokens: 5 });
      register.append(id, fact({ type: "turn_failed", turn_id: "turn-1", error: { code: "late", message: "late" } }));
      await register.settled(id);
      expect((await register.query("turns.list", { thread_id: id })).rows).toMatchObject([
        { status: "ended", stop_reason: "end_turn", error: null, usage: { inputTokens: 5 } },
      ]);
      expect((await register.getThread(id))?.status).toBe("idle");
    });

    test("a queued turn can be edited or taken out, and its prompt becomes a message when it runs", async () => {
      const { register } = await open();
      const { id } = await register.createThread({ agent_id: "agent", cwd: "/" });
      register.append(id, fact({ type: "turn_queued", turn_id: "1", prompt_id: "p1", prompt: blocks("first") }));
      register.append(id, fact({ type: "turn_queued", turn_id: "2", prompt_id: "p2", prompt: blocks("second") }));
      register.append(id, fact({ type: "turn_edited", turn_id: "1", prompt: blocks("changed") }));
      register.append(id, fact({ type: "turn_removed", turn_id: "2" }));
      await register.settled(id);
      expect((await register.query("turns.list", { thread_id: id })).rows).toMatchObject([
        { turn_id: "1", status: "queued", prompt: blocks("changed") },
      ]);
      register.append(id, fact({ type: "turn_started", turn_id: "1" }));
      await register.settled(id);
      expect((await register.snapshot(id)).timeline).toMatchObject([{ role: "user", text: "changed", partial: false }]);
      expect((await register.query("turns.list", { thread_id: id, prompt_id: "p1" })).rows).toHaveLength(1);
    });

    test("images and resources of a message are kept in their places", async () => {
      const { register } = await open();
      const { id } = await register.createThread({ agent_id: "agent", cwd: "/" });
      const image = { type: "image", mimeType: "image/png", data: "AAAA" };
      const prompt = [{ type: "text", text: "look" }, image, { type: "text", text: "at this" }];
      register.append(id, fact({ type: "turn_queued", turn_id: "1", prompt_id: "p", prompt }));
      register.append(id, fact({ type: "turn_started", turn_id: "1" }));
      register.append(id, says("I see "));
      register.append(id, update({ sessionUpdate: "agent_message_chunk", content: image }));
      await register.settled(id);
      register.append(id, says("this"));
      await register.settled(id);
      const { timeline: items } = await register.snapshot(id);
      expect(items).toMatchObject([
        { role: "user", text: "look\nat this", content: prompt },
        { text: "I see this", content: [{ type: "text", text: "I see " }, image, { type: "text", text: "this" }] },
      ]);
    });

    test("plan, modes, options, commands and usage are what was said last", async () => {
      const { register } = await open();
      const id = await threadWithTurn(register);
      const modes = { currentModeId: "ask", availableModes: [{ id: "ask", name: "Ask" }] };
      register.append(
        id,
        fact({ type: "session_started", session_id: "s-1", modes, config_options: [{ id: "model" }] }),
      );
      register.append(id, update({ sessionUpdate: "current_mode_update", currentModeId: "code" }));
      register.append(id, update({ sessionUpdate: "config_option_update", configOptions: [{ id: "effort" }] }));
      register.append(
        id,
        update({ sessionUpdate: "available_commands_update", availableCommands: [{ name: "init" }] }),
      );
      register.append(
        id,
        update({ sessionUpdate: "usage_update", used: 10, size: 100, cost: { amount: 1, currency: "EUR" } }),
      );
      register.append(id, update({ sessionUpdate: "usage_update", used: 20, size: 100 }));
      const entries = [{ content: "do it", priority: "high", status: "pending" }];
      register.append(id, update({ sessionUpdate: "plan", entries: [] }));
      register.append(id, update({ sessionUpdate: "plan", entries }));
      await register.settled(id);
      expect((await register.query("plan.get", { thread_id: id })).rows).toMatchObject([{ entries }]);
      expect((await register.query("state.get", { thread_id: id })).rows).toMatchObject([
        {
          current_mode_id: "code",
          modes,
          config_options: [{ id: "effort" }],
          available_commands: [{ name: "init" }],
          usage: { used: 20, size: 100, cost: { amount: 1, currency: "EUR" } },
        },
      ]);
      expect(await register.getThread(id)).toMatchObject({ session_id: "s-1", current_mode_id: "code" });
    });

    test("an agent names a thread that has no name, and never renames what a person named", async () => {
      const { register } = await open();
      const id = await threadWithTurn(register);
      register.append(id, update({ sessionUpdate: "session_info_update", title: "By the agent" }));
      await register.settled(id);
      expect((await register.getThread(id))?.title).toBe("By the agent");
      await register.updateThread(id, { title: "By me" });
      register.append(id, update({ sessionUpdate: "session_info_update", title: "Again by the agent" }));
      register.append(id, says("chunk"));
      await register.settled(id);
      expect(await register.getThread(id)).toMatchObject({ title: "By me", archived: false });
    });

    test("a restart interrupts what ran, and keeps everything else", async () => {
      const temporary = await open();
      const id = await threadWithTurn(temporary.register);
      temporary.register.append(id, says("half a sen"));
      temporary.register.append(id, toolCall("running", { status: "in_progress" }));
      const question = { permission_id: "p", tool_call: { toolCallId: "running" }, options: [] };
      temporary.register.append(id, fact({ type: "permission_requested", ...question }));
      temporary.register.append(id, fact({ type: "terminal_created", terminal_id: "x", command: "sleep", cwd: null }));
      const register = await temporary.reopen();
      const snapshot = await register.snapshot(id);
      expect(snapshot.thread.status).toBe("interrupted");
      expect(snapshot.turns).toMatchObject([{ status: "interrupted", ended_at: expect.any(Number) }]);
      expect(snapshot.permissions).toMatchObject([{ status: "cancelled" }]);
      expect(snapshot.terminals).toMatchObject([{ ended_at: expect.any(Number) }]);
      expect(snapshot.timeline.map(nameOf)).toEqual(["go", "half a sen", "running"]);
      expect(await toolCallRow(register, id, "running")).toMatchObject({
        status: "failed",
        content: [{ content: { text: expect.stringContaining("Signalbox stopped") } }],
      });
      expect((await register.snapshot(id)).timeline.some((item) => item.type === "message" && item.partial)).toBe(
        false,
      );
    });

    test("threads are listed by their last activity, with counts", async () => {
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

    test("what is asked wrongly, or of something that is not there, is refused with a code", async () => {
      const { register } = await open();
      await expect(register.query("timeline.list", {})).rejects.toMatchObject({ code: "bad_request" });
      await expect(register.query("timeline.list", { thread_id: "none" })).rejects.toMatchObject({ code: "not_found" });
      await expect(register.query("search", {})).rejects.toMatchObject({ code: "bad_request" });
      await expect(register.query("threads.list", { limit: "all" })).rejects.toMatchObject({ code: "bad_request" });
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

    test("listeners hear commits in order, also when one of them writes", async () => {
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

    test("two threads do not disturb each other", async () => {
      const { register } = await open();
      const one = await threadWithTurn(register);
      const two = await threadWithTurn(register);
      for (const word of ["a", "b", "c"]) {
        register.append(one, says(word));
        register.append(two, says(word.toUpperCase()));
      }
      await Promise.all([register.settled(one), register.settled(two)]);
      expect((await timeline(register, one)).at(-1)).toBe("abc");
      expect((await timeline(register, two)).at(-1)).toBe("ABC");
      startTurn(register, one, "turn-2");
      await register.settled(one);
      expect((await timeline(register, two)).at(-1)).toBe("ABC");
    });
  });
}

/** What a screen draws of a view: all of it but the thread's row, which comes on a stream of its own, and bookkeeping. */
function shown(view: ThreadView): unknown {
  return { ...view, thread: null, timeline: view.timeline.map((item) => ({ ...item, last_seq: 0 })) };
}

async function timeline(register: Register, threadId: string): Promise<string[]> {
  const { rows } = await register.query("timeline.list", { thread_id: threadId, limit: 1000 });
  return rows.map(nameOf);
}

function blocks(words: string): { type: string; text: string }[] {
  return [{ type: "text", text: words }];
}

/** What an item is called in these tests: its text, or its tool call's id. */
function nameOf(item: object): string {
  const { text, tool_call_id: id } = item as Partial<MessageRow & ToolCallRow>;
  return text ?? id ?? "";
}

async function toolCallRow(register: Register, threadId: string, id: string): Promise<unknown> {
  const { rows } = await register.query("tool_calls.list", { thread_id: threadId });
  return rows.find(({ tool_call_id: other }) => other === id);
}

async function isReadable(register: Register, change: Extract<Change, { seq: number }>): Promise<boolean> {
  const { rows } = await register.query("events.list", {
    thread_id: change.thread_id,
    after_seq: change.seq - 1,
    limit: 1,
  });
  return rows[0]?.["seq"] === change.seq;
}

function isThreadChange(change: Change): change is ThreadChange {
  return change.stream !== "threads";
}
