// Everything that an agent and the host send is kept: every item in its place, everything in the log.
import { type JsonObject, readUpdate } from "@signalbox/protocol";
import { expect, it } from "vitest";
import { fact, says, startTurn, thinks, threadWithTurn, toolCall, toolUpdate, update } from "../testing/entries.ts";
import { type Engine, timeline, toolCallRow } from "./looking.ts";

export function keepingContract(open: Engine): void {
  it("[R2] text, tool, text, tool, text stays five items in that order", async () => {
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

  it("a thought and an answer are two messages, and an update of a tool call does not part an answer", async () => {
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

  it("another message id begins another message", async () => {
    const { register } = await open();
    const id = await threadWithTurn(register);
    register.append(id, says("first", { messageId: "m1" }));
    register.append(id, says(" still first", { messageId: "m1" }));
    register.append(id, says("second", { messageId: "m2" }));
    await register.settled(id);
    expect((await timeline(register, id)).slice(1)).toEqual(["first still first", "second"]);
  });

  it("[R3] unknown updates are in the log as the agent sent them", async () => {
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

  it("an update of what a vendor says about a call erases nothing that it does not carry", async () => {
    const { register } = await open();
    const id = await threadWithTurn(register);
    const meta = { claudeCode: { toolName: "Read", parentToolUseId: "task" }, other: 1 };
    register.append(id, toolCall("t", { _meta: meta }));
    register.append(id, toolUpdate("t", { _meta: { claudeCode: { toolName: "Read", toolResponse: "text" } } }));
    await register.settled(id);
    register.append(id, toolUpdate("t", { status: "completed", _meta: { other: { deep: true } } }));
    await register.settled(id);
    expect(await toolCallRow(register, id, "t")).toMatchObject({
      meta: {
        claudeCode: { toolName: "Read", parentToolUseId: "task", toolResponse: "text" },
        other: { deep: true },
      },
    });
  });

  it("a malformed update is logged as such and harms nothing", async () => {
    const { register } = await open();
    const id = await threadWithTurn(register);
    register.append(id, says("before"));
    for (const params of [null, 7, "text", [], {}, { update: null }, { update: { sessionUpdate: 5 } }]) {
      register.append(id, { type: "update", update: readUpdate(params) });
    }
    register.append(id, update({ sessionUpdate: "agent_message_chunk" }));
    register.append(id, update({ sessionUpdate: "tool_call_update", status: "completed" }));
    register.append(id, says(" and after"));
    await register.settled(id);
    expect((await timeline(register, id)).slice(1)).toEqual(["before and after"]);
    const { rows } = await register.query("events.list", { thread_id: id });
    expect(rows.filter(({ kind }) => kind === "signalbox/malformed")).toHaveLength(9);
    expect(rows.map(({ seq }) => seq)).toEqual(rows.map((_, index) => index + 1));
  });

  it("images and resources of a message are kept in their places", async () => {
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

  it("plan, modes, options, commands and usage are what was said last", async () => {
    const { register } = await open();
    const id = await threadWithTurn(register);
    const modes = { currentModeId: "ask", availableModes: [{ id: "ask", name: "Ask" }] };
    register.append(id, fact({ type: "session_started", session_id: "s-1", modes, config_options: [{ id: "model" }] }));
    register.append(id, update({ sessionUpdate: "current_mode_update", currentModeId: "code" }));
    register.append(id, update({ sessionUpdate: "config_option_update", configOptions: [{ id: "effort" }] }));
    register.append(id, update({ sessionUpdate: "available_commands_update", availableCommands: [{ name: "init" }] }));
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
        modes: { ...modes, currentModeId: "code" },
        config_options: [{ id: "effort" }],
        available_commands: [{ name: "init" }],
        usage: { used: 20, size: 100, cost: { amount: 1, currency: "EUR" } },
      },
    ]);
    expect(await register.getThread(id)).toMatchObject({ session_id: "s-1", current_mode_id: "code" });
  });

  it("a plan with an id is items, text or a file; what is none of them changes nothing", async () => {
    const { register } = await open();
    const id = await threadWithTurn(register);
    const storePlan = async (sent: JsonObject) => {
      register.append(id, update(sent));
      await register.settled(id);
      return (await register.query("plan.get", { thread_id: id })).rows[0]?.entries;
    };
    const planned = (plan: JsonObject) => storePlan({ sessionUpdate: "plan_update", plan: { planId: "p", ...plan } });
    const entries = [{ content: "do it", priority: "high", status: "pending" }];
    expect(await planned({ type: "items", entries })).toEqual(entries);
    expect(await planned({ type: "odd", entries: [] })).toEqual(entries);
    expect(await planned({ type: "markdown", content: "- do it" })).toMatchObject([{ content: "- do it" }]);
    expect(await planned({ type: "file", uri: "file:///plan.md" })).toMatchObject([{ content: "file:///plan.md" }]);
    expect(await storePlan({ sessionUpdate: "plan_removed", planId: "p" })).toEqual([]);
  });

  it("an agent names a thread that has no name, and never renames what a person named", async () => {
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

  it("two threads do not disturb each other", async () => {
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

  it("a terminal has the end of its output in its row and the whole behind it", async () => {
    const { register } = await open();
    const id = await threadWithTurn(register);
    const lines = Array.from({ length: 9000 }, (_, index) => `line ${index} ✓\n`);
    register.append(id, fact({ type: "terminal_created", terminal_id: "x", command: "npm test", cwd: "/work" }));
    for (const text of lines) register.append(id, fact({ type: "terminal_output", terminal_id: "x", text }));
    await register.settled(id);
    const [running] = (await register.snapshot(id)).terminals;
    expect(running).toMatchObject({
      command: "npm test",
      cwd: "/work",
      ended_at: null,
      output_ref: null,
      truncated: false,
    });
    expect(running?.output_offset).toBeGreaterThan(0);
    expect(lines.join("").slice(running?.output_offset)).toBe(running?.output);
    register.append(
      id,
      fact({ type: "terminal_ended", terminal_id: "x", exit_code: 1, signal: null, truncated: true }),
    );
    register.append(id, fact({ type: "terminal_output", terminal_id: "x", text: "too late" }));
    await register.settled(id);
    const { rows } = await register.query("terminals.list", { thread_id: id });
    const { output, output_offset } = running ?? {};
    expect(rows).toMatchObject([{ exit_code: 1, signal: null, truncated: true, output, output_offset }]);
    expect(rows).toMatchObject([{ ended_at: expect.any(Number) }]);
    const hash = JSON.stringify(rows[0]?.output_ref).match(/[0-9a-f]{64}/)?.[0] ?? "";
    expect(Buffer.from((await register.readBlob(hash)).bytes).toString()).toBe(lines.join(""));
    const events = await register.query("events.list", { thread_id: id, after_seq: 3, limit: 1000 });
    const logged = events.rows.flatMap(({ payload }) => (isOutput(payload) ? [payload.text] : []));
    expect(logged.join("")).toBe(`${lines.join("")}too late`);
  });
}

function isOutput(payload: unknown): payload is { text: string } {
  return typeof payload === "object" && payload !== null && "text" in payload && typeof payload.text === "string";
}
