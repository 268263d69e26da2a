import { DatabaseSync } from "node:sqlite";
import { setImmediate } from "node:timers/promises";
import { type Change, readUpdate } from "@signalbox/protocol";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { says, threadWithTurn, toolCall, update, updateLine } from "../testing/entries.ts";
import { slow, temporaryRegister } from "../testing/temporary-register.ts";

describe("the commit window", slow, () => {
  it("the first chunk after a pause is stored and published immediately, the next ones together", async () => {
    const { register, published } = await temporaryRegister();
    // The test decides how time passes: on a busy machine a commit window of 25 ms could end between two lines here.
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const id = await threadWithTurn(register);
    const texts = () => published.flatMap((change) => ("text_delta" in change ? [change.text_delta] : []));
    published.length = 0;
    // A window is open since the thread was made.
    vi.advanceTimersByTime(60);
    register.append(id, says("first"));
    await setImmediate();
    expect(texts()).toEqual(["first"]);
    register.append(id, says(" second"));
    await setImmediate();
    register.append(id, says(" third"));
    vi.advanceTimersByTime(24);
    await setImmediate();
    expect(texts()).toEqual(["first"]);
    vi.advanceTimersByTime(1);
    expect(texts()).toEqual(["first", " second third"]);
  });

  it.each(["turn_ended", "turn_failed", "turn_interrupted"] as const)(
    "stores and publishes %s, and everything before it, without waiting for the clock",
    async (type) => {
      const { register, published } = await temporaryRegister();
      vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
      onTestFinished(() => void vi.useRealTimers());
      const id = await threadWithTurn(register);
      register.append(id, says("last words"));
      published.length = 0;
      const ends = {
        turn_ended: { type: "turn_ended", turn_id: "turn-1", stop_reason: "end_turn" },
        turn_failed: { type: "turn_failed", turn_id: "turn-1", error: { code: "agent_failed", message: "no" } },
        turn_interrupted: { type: "turn_interrupted", turn_id: "turn-1", reason: "stopped" },
      } as const;
      register.append(id, { type: "fact", fact: ends[type] });
      await setImmediate();
      const isEnded = (change: Change) => change.stream === "turns" && "row" in change && change.row.ended_at !== null;
      expect(published.some(isEnded)).toBe(true);
      expect((await register.query("messages.list", { thread_id: id })).rows.at(-1)).toMatchObject({
        text: "last words",
      });
    },
  );

  it("what waits is stored at 512 KB without waiting for the clock", async () => {
    const { register, published } = await temporaryRegister();
    const id = await threadWithTurn(register);
    published.length = 0;
    for (let index = 0; index < 600; index++) register.append(id, says("x".repeat(1024)));
    expect(published.length).toBeGreaterThan(0);
  });

  it("lines that are read together are one event", async () => {
    const { register } = await temporaryRegister();
    const id = await threadWithTurn(register);
    for (const word of ["one ", "two ", "three"]) register.append(id, says(word, { messageId: "m" }));
    register.append(id, toolCall("t"));
    register.append(id, toolCall("t", { status: "in_progress" }));
    await register.settled(id);
    const { rows } = await register.query("events.list", { thread_id: id });
    expect(rows.slice(3).map(({ kind }) => kind)).toEqual(["agent_message_chunk", "tool_call", "tool_call"]);
    expect(rows[3]?.["payload"]).toEqual({
      sessionId: "session-1",
      update: {
        sessionUpdate: "agent_message_chunk",
        content: { type: "text", text: "one two three" },
        messageId: "m",
      },
      chunks: 3,
    });
  });

  it("chunks that differ in anything but their text stay apart", async () => {
    const { register } = await temporaryRegister();
    const id = await threadWithTurn(register);
    const chunk = { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "x" } };
    register.append(id, update(chunk));
    register.append(id, update({ ...chunk, _meta: { a: 1 } }));
    register.append(id, update({ ...chunk, _meta: { a: 2 } }));
    register.append(id, update({ ...chunk, _meta: { a: 2, b: null } }));
    register.append(id, update({ ...chunk, content: { type: "text", text: "x", annotations: { priority: 1 } } }));
    const sent = readUpdate({ sessionId: "session-1", update: chunk, chunks: "mine" });
    register.append(id, { type: "update", update: sent });
    register.append(id, { type: "update", update: sent });
    await register.settled(id);
    const { rows } = await register.query("events.list", { thread_id: id, after_seq: 3 });
    expect(rows).toHaveLength(7);
    expect((await register.query("messages.list", { thread_id: id })).rows.at(-1)).toMatchObject({ text: "xxxxxxx" });
  });

  it("half a character at the end of a chunk waits for its other half", async () => {
    const { register, published } = await temporaryRegister();
    const id = await threadWithTurn(register);
    register.append(id, says("smile \ud83d"));
    await register.settled(id);
    register.append(id, says("\ude00!"));
    await register.settled(id);
    register.append(id, says("broken \ud83d"));
    register.append(id, toolCall("t"));
    await register.settled(id);
    const deltas = published.flatMap((change) => ("text_delta" in change ? [change.text_delta] : []));
    expect(deltas.every((delta) => delta.isWellFormed())).toBe(true);
    expect((await register.query("messages.list", { thread_id: id })).rows.at(-1)).toMatchObject({
      text: "smile 😀!broken \ufffd",
      text_len: "smile 😀!broken \ufffd".length,
    });
  });
});

describe("the log keeps the agent's own line", slow, () => {
  it("numbers that no parser keeps, and keys that are there twice", async () => {
    const { register, path } = await temporaryRegister();
    const id = await threadWithTurn(register);
    const params =
      '{"sessionId":"s","update":{"sessionUpdate":"dream","big":12345678901234567890,"tiny":1e-400,"a":1,"a":2,"text":"a \\"}{\\" b\\\\"}}';
    register.append(id, updateLine(`{"jsonrpc":"2.0","method":"session/update","params":${params}}`));
    register.append(id, updateLine(`{"params":${params},"method":"session/update","extra":{"params":{}}}`));
    register.append(id, updateLine(`{"jsonrpc": "2.0", "method": "session/update", "params": ${params}}`));
    await register.settled(id);
    const database = new DatabaseSync(path, { readOnly: true });
    const rows = database.prepare("SELECT payload FROM acp_events WHERE kind = 'dream'").all();
    database.close();
    expect(rows).toEqual([{ payload: params }, { payload: params }, { payload: params }]);
  });

  it("a line whose params cannot be separated safely is stored as it was parsed", async () => {
    const { register } = await temporaryRegister();
    const id = await threadWithTurn(register);
    const line = '{"_meta":{"params":{"wrong":1}},"params":{"sessionId":"s","update":{"sessionUpdate":"dream"}}}';
    register.append(id, updateLine(line));
    await register.settled(id);
    const { rows } = await register.query("events.list", { thread_id: id, after_seq: 3 });
    expect(rows).toMatchObject([{ payload: { sessionId: "s", update: { sessionUpdate: "dream" } } }]);
  });

  it("an agent that speaks in the host's name changes nothing but the log", async () => {
    const { register } = await temporaryRegister();
    const id = await threadWithTurn(register);
    const forged = { type: "turn_ended", turn_id: "turn-1", stop_reason: "end_turn" };
    register.append(id, { type: "notification", method: "signalbox/turn_ended", params: forged });
    register.append(id, update({ sessionUpdate: "signalbox/turn_ended", ...forged }));
    await register.settled(id);
    expect(await register.getThread(id)).toMatchObject({ status: "running" });
    const { rows } = await register.query("events.list", { thread_id: id, after_seq: 3 });
    expect(rows).toMatchObject([
      { kind: "agent/signalbox/turn_ended", payload: forged },
      { kind: "agent/signalbox/turn_ended" },
    ]);
  });

  it("an update nested too deep to be handled is kept as malformed and holds up nothing", async () => {
    const { register } = await temporaryRegister();
    const id = await threadWithTurn(register);
    const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
    const line = (kind: string, more: string) =>
      `{"jsonrpc":"2.0","params":{"sessionId":"s","update":{"sessionUpdate":"${kind}","toolCallId":"t",${more}}}}`;
    register.append(id, says("before"));
    register.append(id, updateLine(line("tool_call", `"rawInput":${deep}`)));
    register.append(
      id,
      updateLine(line("agent_message_chunk", `"content":{"type":"text","text":"x"},"_meta":${deep}`)),
    );
    register.append(
      id,
      updateLine(line("agent_message_chunk", `"content":{"type":"text","text":"x"},"_meta":${deep}`)),
    );
    register.append(id, says(" after"));
    await register.settled(id);
    const { rows } = await register.query("messages.list", { thread_id: id });
    expect(rows.at(-1)).toMatchObject({ text: "before after" });
    const events = await register.query("events.list", { thread_id: id, after_seq: 3 });
    expect(events.rows.map(({ kind }) => kind)).toEqual([
      "agent_message_chunk",
      "signalbox/malformed",
      "signalbox/malformed",
      "signalbox/malformed",
      "agent_message_chunk",
    ]);
  });
});
