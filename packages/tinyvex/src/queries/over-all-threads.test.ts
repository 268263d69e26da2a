// What is asked for over all threads: open questions, filters and counts, tool calls, changed files. The answers never depend on what a
// screen has loaded.
import type { PermissionRequested, QueryArgs, QuestionRow } from "@signalbox/protocol";
import { describe, expect, it } from "vitest";
import { copyThread } from "../../../../test/support/many-threads.ts";
import { openRegister } from "../open-register.ts";
import type { Entry, Register } from "../register.ts";
import { elicitation, endTurn, fact, says, startTurn, toolCall, toolUpdate, update } from "../testing/entries.ts";
import { slow, temporaryRegister } from "../testing/temporary-register.ts";

const asks = (permission_id: string, toolCallId: string | null = null) => {
  const asked: PermissionRequested = {
    type: "permission_requested",
    permission_id,
    tool_call: toolCallId === null ? null : { toolCallId },
    options: [{ optionId: "yes", name: "Yes", kind: "allow_once" }],
  };
  return fact(asked);
};
const allowed = (permission_id: string) =>
  fact({
    type: "permission_decided",
    permission_id,
    status: "allowed",
    option_id: "yes",
    decided_by: "person",
    rule: null,
  });

const idOf = (question: QuestionRow) =>
  question.type === "permission" ? question.permission_id : question.elicitation_id;

async function thread(register: Register, fields: { agent_id?: string; cwd?: string; title?: string } = {}) {
  const { id } = await register.createThread({ agent_id: "agent", cwd: "/work", ...fields });
  startTurn(register, id, "turn-1");
  return id;
}

describe("over all threads", slow, () => {
  it("lists every question that waits, of both kinds, the oldest first, however many threads are newer", async () => {
    let now = 1000;
    const { register } = await temporaryRegister({ now: () => now++ });
    const old = await thread(register, { title: "Old", agent_id: "fake", cwd: "/far" });
    register.append(old, toolCall("c1", { title: "`make`" }));
    register.append(old, asks("p1", "c1"));
    register.append(old, elicitation("form-1"));
    register.append(old, asks("p2"));
    for (let index = 0; index < 60; index++) await thread(register);
    await register.settled(old);
    const { rows } = await register.query("questions.list", {});
    expect(rows.map(idOf)).toEqual(["p1", "form-1", "p2"]);
    expect(rows[0]).toMatchObject({
      type: "permission",
      thread_id: old,
      thread_title: "Old",
      agent_id: "fake",
      cwd: "/far",
      title: "`make`",
      status: "pending",
    });
    expect(await register.getThread(old)).toMatchObject({ status: "waiting", waiting: 3 });
    const first = await register.query("questions.list", { limit: 2 });
    const { next_cursor } = first;
    const second = await register.query("questions.list", { limit: 2, cursor: next_cursor });
    expect([first, second].map((page) => page.rows.map(idOf))).toEqual([["p1", "form-1"], ["p2"]]);
    const { rows: waiting } = await register.query("threads.list", { status: "waiting" });
    expect(waiting.map(({ id }) => id)).toEqual([old]);
    register.append(old, allowed("p1"));
    await register.settled(old);
    expect((await register.query("questions.list", {})).rows.map(idOf)).toEqual(["form-1", "p2"]);
    expect(await register.getThread(old)).toMatchObject({ waiting: 2 });
    endTurn(register, old, "turn-1");
    await register.settled(old);
    expect((await register.query("questions.list", {})).rows).toEqual([]);
    expect(await register.getThread(old)).toMatchObject({ status: "idle", waiting: 0 });
  });

  it("gives what waits, what is pinned, what is filtered and every count out of 10,000 threads, and the prompts of a long one", async () => {
    const { register, path } = await temporaryRegister();
    const old = await thread(register, { title: "The old one", agent_id: "goose", cwd: "/far" });
    register.append(old, asks("p1"));
    const pinned = await thread(register, { title: "Kept in sight", cwd: "/far" });
    await register.updateThread(pinned, { pinned: true });
    for (let step = 0; step < 20; step++) register.append(pinned, says(`answer ${step}`));
    await register.settled(pinned);
    await register.close();
    copyThread(path, pinned, 10_000);
    const again = await openRegister({ path });
    const titles = async (args: QueryArgs<"threads.list">) =>
      (await again.query("threads.list", args)).rows.map(({ title }) => title);
    expect(await titles({ limit: 50 })).not.toContain("Kept in sight");
    expect(await titles({ pinned: true })).toEqual(["Kept in sight"]);
    expect(await titles({ text: "old one" })).toEqual(["The old one"]);
    expect(await titles({ text: "thread 4321" })).toEqual(["Thread 4321"]);
    const { rows: facets } = await again.query("facets.list", {});
    expect(facets).toContainEqual({ facet: "cwd", value: "/far", threads: 2, archived: 0 });
    expect(facets).toContainEqual({ facet: "cwd", value: "/work/3", threads: 1000, archived: 0 });
    const { rows: prompts } = await again.query("messages.list", { thread_id: pinned, role: "user" });
    expect(prompts.map(({ role }) => role)).toEqual(["user"]);
    await again.updateThread(pinned, { pinned: false });
    expect(await titles({ pinned: true })).toEqual([]);
    await again.close();
  });

  it("filters threads by words in title, folder, and the agent's id and label", async () => {
    const { register } = await temporaryRegister();
    const ferry = await thread(register, { title: "Über die Fähre", cwd: "/srv/harbour", agent_id: "goose" });
    for (let index = 0; index < 120; index++) await thread(register, { title: `Thread ${index}`, agent_id: "other" });
    await register.settled(ferry);
    const found = async (text: string) => {
      const args = { text, agent_labels: { other: "Second best" }, limit: 10 };
      const { rows, next_cursor } = await register.query("threads.list", args);
      return { titles: rows.map(({ title }) => title), hasMore: next_cursor !== undefined };
    };
    expect(await found("fähre über")).toEqual({ titles: ["Über die Fähre"], hasMore: false });
    expect((await found("HARBOUR")).titles).toEqual(["Über die Fähre"]);
    expect((await found("goo")).titles).toEqual(["Über die Fähre"]);
    expect((await found("second 119")).titles).toEqual(["Thread 119"]);
    expect(await found("best")).toMatchObject({ titles: expect.arrayContaining(["Thread 119"]), hasMore: true });
    expect((await found("ferry")).titles).toEqual([]);
    // A title that is typed in full comes before all newer ones with the same words, and every page goes on where the last one ended.
    await thread(register, { title: "1 more thread", agent_id: "other" });
    const pages: (string | null)[] = [];
    for (let cursor: string | undefined; ; ) {
      const page = await register.query("threads.list", { text: "thread 1", limit: 7, ...(cursor && { cursor }) });
      pages.push(...page.rows.map(({ title }) => title));
      cursor = page.next_cursor;
      if (cursor === undefined) break;
    }
    expect(pages.slice(0, 31).every((title) => title?.startsWith("Thread 1"))).toBe(true);
    expect(pages[31]).toBe("1 more thread");
    expect(new Set(pages).size).toBe(pages.length);
    expect(pages.length).toBe(40);
    const byTime = await register.query("threads.list", { text: "thread 1", newest_first: true, limit: 10 });
    expect(byTime.rows.map(({ title }) => title)).toContain("1 more thread");
  });

  it("counts the threads of each agent and folder, and knows the kinds that occur", async () => {
    const { register } = await temporaryRegister();
    const one = await thread(register, { agent_id: "one", cwd: "/a" });
    const two = await thread(register, { agent_id: "two", cwd: "/a" });
    await thread(register, { agent_id: "two", cwd: "/b" });
    await register.updateThread(two, { archived: true });
    register.append(one, says("hello"));
    register.append(one, toolCall("c1", { kind: "edit", status: "completed" }));
    endTurn(register, one, "turn-1");
    await register.settled(one);
    await register.query("search", { text: "hello" });
    const { rows } = await register.query("facets.list", {});
    expect(rows).toEqual([
      { facet: "agent_id", value: "one", threads: 1, archived: 0 },
      { facet: "agent_id", value: "two", threads: 1, archived: 1 },
      { facet: "cwd", value: "/a", threads: 1, archived: 1 },
      { facet: "cwd", value: "/b", threads: 1, archived: 0 },
      { facet: "kind", value: "edit", threads: null, archived: null },
      { facet: "kind", value: "message", threads: null, archived: null },
    ]);
  });

  it("lists tool calls, the newest first, page by page, and counts them by tool", async () => {
    let now = 1000;
    const { register } = await temporaryRegister({ now: () => now++ });
    const threads = [await thread(register), await thread(register)];
    for (let index = 0; index < 6; index++) {
      const id = threads[index % 2] ?? "";
      register.append(id, toolCall(`c${index}`, { name: index < 4 ? "bash" : "grep", status: "completed" }));
      await register.settled(id);
    }
    const pages: string[][] = [];
    let cursor: string | undefined;
    do {
      const page = await register.query("tool_calls.list", { limit: 4, cursor });
      pages.push(page.rows.map((row) => row.tool_call_id));
      cursor = page.next_cursor;
    } while (cursor !== undefined);
    expect(pages).toEqual([
      ["c5", "c4", "c3", "c2"],
      ["c1", "c0"],
    ]);
    const { rows } = await register.query("stats", { since: 0, until: 10_000, group_by: ["name"] });
    expect(rows).toMatchObject([
      { stat: "tool_calls", name: "bash", kind: null, count: 4 },
      { stat: "tool_calls", name: "grep", kind: null, count: 2 },
    ]);
  });

  it("narrows tool calls down by tool, kind, status, agent, folder and time, and says of which thread each is", async () => {
    let now = 1000;
    const { register } = await temporaryRegister({ now: () => now });
    const one = await thread(register, { agent_id: "one", cwd: "/a", title: "First" });
    const two = await thread(register, { agent_id: "two", cwd: "/b" });
    const calls = [
      [one, "bash", "execute", "completed"],
      [one, "grep", "search", "failed"],
      [two, "bash", "execute", "failed"],
      [two, "write", "edit", "completed"],
    ] as const;
    for (const [index, [id, name, kind, status]] of calls.entries()) {
      now = 2000 + index;
      register.append(id, toolCall(`c${index}`, { name, kind, status }));
      await register.settled(id);
    }
    const found = async (args: QueryArgs<"tool_calls.list">) =>
      (await register.query("tool_calls.list", args)).rows.map((row) => row.tool_call_id);
    expect(await found({ name: "bash" })).toEqual(["c2", "c0"]);
    expect(await found({ kind: "search" })).toEqual(["c1"]);
    expect(await found({ status: "failed" })).toEqual(["c2", "c1"]);
    expect(await found({ agent_id: "two", status: "failed" })).toEqual(["c2"]);
    expect(await found({ cwd: "/a" })).toEqual(["c1", "c0"]);
    expect(await found({ since: 2001, until: 2003 })).toEqual(["c2", "c1"]);
    const { rows, next_cursor: cursor } = await register.query("tool_calls.list", { name: "bash", limit: 1 });
    expect(rows).toMatchObject([{ tool_call_id: "c2", thread_title: null, agent_id: "two", cwd: "/b" }]);
    const next = await register.query("tool_calls.list", { name: "bash", limit: 1, cursor });
    expect(next.rows).toMatchObject([{ tool_call_id: "c0", thread_title: "First", agent_id: "one", cwd: "/a" }]);
    expect(next.next_cursor).toBeUndefined();
  });

  it("keeps the time in which a person was asked out of a call's duration", async () => {
    let now = 1000;
    const { register } = await temporaryRegister({ now: () => now });
    const id = await thread(register);
    register.append(id, toolCall("c1", { name: "bash", status: "in_progress" }));
    register.append(id, asks("p1", "c1"));
    await register.settled(id);
    now += 26_000;
    register.append(id, allowed("p1"));
    await register.settled(id);
    now += 100;
    register.append(id, toolUpdate("c1", { status: "completed" }));
    await register.settled(id);
    const { rows: calls } = await register.query("tool_calls.list", {});
    expect(calls).toMatchObject([{ tool_call_id: "c1", waited_ms: 26_000 }]);
    const { rows } = await register.query("stats", { since: 0, until: now + 1, group_by: ["name"] });
    expect(rows).toMatchObject([{ name: "bash", count: 1, median_ms: 100, p95_ms: 100, asked: 1, waited_ms: 26_000 }]);
  });

  it("counts the time in which several questions are open once, for one call and for calls that wait together", async () => {
    let now = 1000;
    const { register } = await temporaryRegister({ now: () => now });
    const id = await thread(register);
    const at = async (time: number, entry: Entry) => {
      now = 1000 + time;
      register.append(id, entry);
      await register.settled(id);
    };
    await at(0, toolCall("c1", { status: "in_progress" }));
    // Two that overlap, one inside them, one after them, and one about another call.
    await at(100, asks("first", "c1"));
    await at(200, asks("second", "c1"));
    await at(250, asks("elsewhere", "c2"));
    await at(300, asks("inside", "c1"));
    await at(400, allowed("inside"));
    await at(500, allowed("first"));
    await at(700, allowed("second"));
    await at(900, asks("after", "c1"));
    await at(1000, allowed("after"));
    await at(1100, allowed("elsewhere"));
    await at(1200, toolUpdate("c1", { status: "completed" }));
    await at(1200, toolUpdate("c2", { status: "completed", kind: "edit" }));
    const expectWaits = async (opened: Register) => {
      const { rows } = await opened.query("tool_calls.list", { thread_id: id });
      expect(rows.map(({ tool_call_id, waited_ms }) => [tool_call_id, waited_ms])).toEqual([
        ["c1", 700],
        ["c2", 850],
      ]);
      const of = async (...group_by: ("agent_id" | "kind")[]) =>
        (await opened.query("stats", { since: 0, until: now + 1, group_by })).rows
          .filter((row) => row.stat === "tool_calls")
          .map(({ count, asked, waited_ms }) => [count, asked, waited_ms]);
      // From 100 to 1100 at least one of them waited.
      expect(await of("agent_id")).toEqual([[2, 2, 1000]]);
      expect(await of("kind")).toEqual([
        [1, 1, 850],
        [1, 1, 700],
      ]);
    };
    await expectWaits(register);
    await register.rebuild();
    await expectWaits(register);
  });

  it("says which files a thread changed and what it cost, and comes to the same by a rebuild", async () => {
    const { register } = await temporaryRegister();
    const id = await thread(register);
    const diff = (path: string, oldText: string | null, newText: string) => ({ type: "diff", path, oldText, newText });
    const edit = (call: string, ...content: ReturnType<typeof diff>[]) => toolCall(call, { kind: "edit", content });
    register.append(id, edit("c1", diff("/work/a.ts", "1\n2\n", "1\n3\n4\n"), diff("b.ts", null, "new\n")));
    register.append(id, toolUpdate("c1", { status: "completed" }));
    register.append(id, edit("c2", diff("/work/a.ts", "1\n", "")));
    register.append(id, toolUpdate("c2", { status: "completed" }));
    register.append(id, edit("c3", diff("/work/never.ts", "", "x\n")));
    register.append(id, toolUpdate("c3", { status: "failed" }));
    for (const amount of [0.25, 0.75]) {
      register.append(
        id,
        update({ sessionUpdate: "usage_update", used: 1, size: 2, cost: { amount, currency: "EUR" } }),
      );
    }
    endTurn(register, id, "turn-1");
    await register.settled(id);
    const expectAnswers = async () => {
      const { rows } = await register.query("changed_files.list", { thread_id: id });
      expect(rows.map(({ path, calls, added, removed }) => ({ path, calls, added, removed }))).toEqual([
        { path: "/work/a.ts", calls: 2, added: 2, removed: 2 },
        { path: "/work/b.ts", calls: 1, added: 1, removed: 0 },
      ]);
      expect(await register.getThread(id)).toMatchObject({
        files_changed: 2,
        cost: { amount: 0.75, currency: "EUR" },
      });
    };
    await expectAnswers();
    await register.rebuild();
    await expectAnswers();
    // From when on the checkpoints count, diffs do not.
    const made = { type: "checkpoint_made", turn_id: "turn-1", moment: "after", not_kept: [], notice: null } as const;
    const count = async () => {
      await register.settled(id);
      return (await register.getThread(id))?.files_changed;
    };
    register.append(id, fact({ ...made, commit: "c", files_changed: 3, thread_files_changed: 7 }));
    register.append(id, toolCall("c4", { status: "completed", content: [diff("/work/late.ts", null, "x\n")] }));
    expect(await count()).toBe(7);
    register.append(id, fact({ type: "checkpoints_changed", checkpoints: { on: false, reason: "The disk is full." } }));
    register.append(id, toolCall("c5", { status: "completed", content: [diff("/work/later.ts", null, "x\n")] }));
    expect(await count()).toBe(8);
    const { rows, next_cursor } = await register.query("changed_files.list", { thread_id: id, limit: 1 });
    expect(rows).toMatchObject([{ path: "/work/later.ts" }]);
    const { rows: more } = await register.query("changed_files.list", { thread_id: id, limit: 1, cursor: next_cursor });
    expect(more).toMatchObject([{ path: "/work/late.ts" }]);
  });
});
