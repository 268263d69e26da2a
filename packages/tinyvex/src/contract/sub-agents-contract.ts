// Actions and texts of sub-agents: each in a place of its own, under the call that stands for it or started it, apart from the main agent's.
import { type JsonObject, readUpdate, type TimelineItem } from "@signalbox/protocol";
import { expect, it } from "vitest";
import type { Entry, Register } from "../register.ts";
import { fact, says, threadWithTurn, toolCall, toolUpdate, update } from "../testing/entries.ts";
import { type Engine, nameItem, toolCallRow } from "./looking.ts";

/** An entry as a sub-agent with this session sends it. */
function from(sessionId: string, entry: Entry): Entry {
  if (entry.type !== "update" || entry.update.type === "malformed") return entry;
  return { ...entry, update: readUpdate({ ...entry.update.raw, sessionId }) };
}

const announces = (sessionId: string, fields: JsonObject = {}) =>
  update({ sessionUpdate: "subagent_update", sessionId, ...fields });

/** Each item as "parent > name". */
async function nested(register: Register, id: string): Promise<string[]> {
  await register.settled(id);
  const { rows } = await register.query("timeline.list", { thread_id: id, limit: 100 });
  return rows.slice(1).map((item: TimelineItem) => `${item.parent_tool_call_id ?? ""} > ${nameItem(item)}`);
}

const chunk = (text: string) => ({
  sessionUpdate: "session_message_chunk",
  messageId: "m",
  content: { type: "text", text },
});

const planEntry = (content: string) => ({ content, priority: "medium", status: "pending" });

const items = (planId: string, ...contents: readonly string[]) => ({
  sessionUpdate: "plan_update",
  plan: { type: "items", planId, entries: contents.map(planEntry) },
});

async function open(engine: Engine) {
  const opened = await engine();
  const { register } = opened;
  const id = await threadWithTurn(register);
  register.append(id, fact({ type: "session_started", session_id: "session-1" }));
  const add = (...entries: readonly Entry[]) => {
    for (const entry of entries) register.append(id, entry);
  };
  return { opened, register, id, add };
}

export function subAgentsContract(engine: Engine): void {
  it("a sub-agent with a session is a call, and what happens in its session stands under it", async () => {
    const { register, id, add } = await open(engine);
    add(
      announces("kid", { title: "Look at the tests", description: "Reads them all", state: { state: "running" } }),
      says("I asked "),
      from("kid", says("Looking ")),
      says("for help."),
      from("kid", says("around.")),
      from("kid", toolCall("call-1", { title: "Read a.ts" })),
      toolCall("call-1", { title: "Mine" }),
      from("kid", toolUpdate("call-1", { status: "completed" })),
      from("kid", says("Done.")),
    );
    expect(await nested(register, id)).toEqual([
      " > subagent:kid",
      " > I asked for help.",
      "subagent:kid > Looking around.",
      "subagent:kid > subagent:kid:call-1",
      " > call-1",
      "subagent:kid > Done.",
    ]);
    expect(await toolCallRow(register, id, "subagent:kid")).toMatchObject({
      title: "Look at the tests",
      status: "in_progress",
      content: [{ content: { text: "Reads them all" } }],
    });
    expect(await toolCallRow(register, id, "subagent:kid:call-1")).toMatchObject({ status: "completed" });
    expect(await toolCallRow(register, id, "call-1")).toMatchObject({ status: "pending", title: "Mine" });
    // Fields that the update leaves out stay, and its end is final.
    add(announces("kid", { state: { state: "idle", stopReason: "end_turn" } }));
    await register.settled(id);
    expect(await toolCallRow(register, id, "subagent:kid")).toMatchObject({
      title: "Look at the tests",
      status: "completed",
    });
    const { rows } = await register.query("events.list", { thread_id: id });
    expect(rows.filter(({ kind }) => kind === "agent_message_chunk").map(({ payload }) => payload)).toContainEqual(
      expect.objectContaining({ sessionId: "kid" }),
    );
  });

  it.each([
    [{ state: "idle", stopReason: "error", error: { code: 1, message: "No model" } }, "failed", "No model"],
    [{ state: "idle", stopReason: "cancelled" }, "failed", "It was cancelled."],
    [{ state: "requires_action" }, "in_progress", undefined],
    [{ state: "unknown" }, "pending", undefined],
    [{ state: "_dreaming" }, "pending", undefined],
    [null, "pending", undefined],
  ])("a sub-agent in the state %j is %s", async (state, status, text) => {
    const { register, id, add } = await open(engine);
    add(announces("kid", { state }));
    await register.settled(id);
    const content = text === undefined ? [] : [{ content: { text } }];
    expect(await toolCallRow(register, id, "subagent:kid")).toMatchObject({ title: "Sub-agent", status, content });
  });

  it("a sub-agent of a sub-agent stands under it; what is not announced is the agent's own", async () => {
    const { opened, register, id, add } = await open(engine);
    add(announces("kid/1 é"), from("kid/1 é", announces("grandchild")));
    add(from("grandchild", says("Hi.")), from("stranger", says("Mine.")));
    const expected = [
      " > subagent:kid%2F1%20%C3%A9",
      "subagent:kid%2F1%20%C3%A9 > subagent:grandchild",
      "subagent:grandchild > Hi.",
      " > Mine.",
    ];
    expect(await nested(register, id)).toEqual(expected);
    // Another process goes on where this one was.
    const later = await opened.reopen();
    later.append(id, from("grandchild", says(" More.")));
    expect((await nested(later, id)).slice(0, 2)).toEqual(expected.slice(0, 2));
    expect((await nested(later, id)).at(-1)).toMatch(/^subagent:grandchild > .*More\.$/);
  });

  it("the plan, the mode, the title and the usage of a sub-agent's session are not the thread's", async () => {
    const { register, id, add } = await open(engine);
    add(
      announces("kid"),
      update({ sessionUpdate: "plan", entries: [{ content: "mine", priority: "high", status: "pending" }] }),
      from(
        "kid",
        update({ sessionUpdate: "plan", entries: [{ content: "its", priority: "high", status: "pending" }] }),
      ),
      from("kid", update({ sessionUpdate: "current_mode_update", currentModeId: "yolo" })),
      from("kid", update({ sessionUpdate: "session_info_update", title: "Its title" })),
      from("kid", update({ sessionUpdate: "usage_update", used: 9, size: 10 })),
    );
    await register.settled(id);
    const { plan, state, thread } = await register.snapshot(id);
    expect(plan?.entries.map(({ content }) => content)).toEqual(["mine"]);
    expect([thread.title, thread.current_mode_id, state?.usage ?? null]).toEqual([null, null, null]);
  });

  it("messages between sessions are notices where they were said; what a sub-agent is told is no prompt", async () => {
    const { register, id, add } = await open(engine);
    const message = { sessionUpdate: "session_message", messageId: "m", senderSessionId: "session-1" };
    add(
      announces("kid"),
      from("kid", update({ ...message, recipientSessionId: "kid" })),
      from("kid", update(chunk("Count "))),
      from("kid", update(chunk("the files."))),
      from("kid", update({ sessionUpdate: "user_message_chunk", content: { type: "text", text: "Go." } })),
      update({ ...message, messageId: "n", content: [{ type: "text", text: "Three." }] }),
    );
    expect(await nested(register, id)).toEqual([" > subagent:kid", "subagent:kid > Count the files.Go.", " > Three."]);
    const { rows } = await register.query("messages.list", { thread_id: id });
    expect(rows.slice(1).map(({ role, kind }) => `${role} ${kind}`)).toEqual(["assistant notice", "assistant notice"]);
  });

  it.each([
    ["as Claude Code says it", { claudeCode: { toolName: "Read", parentToolUseId: "task" } }],
    ["as Qwen Code says it", { parentToolCallId: "task", subagentType: "explore" }],
    ["as another vendor says it", { "x.example": { parentToolCallId: "task" } }],
  ])(
    "a call or a text whose _meta names the call that started its sub-agent stands under that, %s",
    async (_, meta) => {
      const { register, id, add } = await open(engine);
      add(
        toolCall("task"),
        toolCall("a", { _meta: meta }),
        says("Mine."),
        says("Its.", { _meta: meta }),
        toolCall("b"),
      );
      add(toolUpdate("b", { _meta: meta }), toolCall("self", { _meta: { parentToolCallId: "self" } }));
      add(toolCall("odd", { _meta: { claudeCode: { parentToolUseId: 7 }, parentToolCallId: "" } }));
      expect(await nested(register, id)).toEqual([
        " > task",
        "task > a",
        " > Mine.",
        "task > Its.",
        "task > b",
        " > self",
        " > odd",
      ]);
    },
  );

  it("many sub-agents that speak at a time each keep one text, up to a limit, and every text is closed with the turn", async () => {
    const { register, id, add } = await open(engine);
    const kids = Array.from({ length: 40 }, (_, index) => `kid${index}`);
    add(...kids.map((kid) => announces(kid)));
    for (let round = 0; round < 3; round++) add(...kids.slice(0, 30).map((kid) => from(kid, says(`${round}`))));
    add(...kids.slice(30).map((kid) => from(kid, says("late"))));
    add(fact({ type: "turn_ended", turn_id: "turn-1", stop_reason: "end_turn" }));
    const texts = (await nested(register, id)).slice(kids.length);
    expect(texts).toEqual(kids.map((kid, index) => `subagent:${kid} > ${index < 30 ? "012" : "late"}`));
    const { rows } = await register.query("messages.list", { thread_id: id });
    expect(rows.filter(({ partial }) => partial)).toEqual([]);
  });

  it("several plans are shown one after another, and one that is removed takes no other with it", async () => {
    const { register, id, add } = await open(engine);
    const plans = async (...updates: readonly JsonObject[]) => {
      add(...updates.map(update));
      await register.settled(id);
      return (await register.snapshot(id)).plan?.entries.map(({ content }) => content);
    };
    expect(await plans(items("a", "a1", "a2"), items("b", "b1"))).toEqual(["a1", "a2", "b1"]);
    expect(await plans(items("a", "a3"))).toEqual(["a3", "b1"]);
    expect(await plans({ sessionUpdate: "plan_removed", planId: "a" })).toEqual(["b1"]);
    expect(await plans({ sessionUpdate: "plan_removed", planId: "unknown" })).toEqual(["b1"]);
    expect(await plans({ sessionUpdate: "plan_removed", planId: "b" })).toEqual([]);
  });
}
