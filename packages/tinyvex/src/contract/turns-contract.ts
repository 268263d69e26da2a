// Tests that turns, tool calls and questions end exactly once, in every order of events.
import { expect, it } from "vitest";
import { elicitation, endTurn, fact, output, says, threadWithTurn, toolCall, toolUpdate } from "../testing/entries.ts";
import { blocks, type Engine, nameItem, toolCallRow } from "./looking.ts";

export function turnsContract(open: Engine): void {
  it("[R5] the end of a turn ends its tool calls, its questions and its text", async () => {
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

  it("a question that wants more than yes or no waits, is answered once, and ends with its turn", async () => {
    const { register } = await open();
    const id = await threadWithTurn(register);
    register.append(id, elicitation("answered"));
    register.append(id, elicitation("left open"));
    await register.settled(id);
    expect((await register.getThread(id))?.status).toBe("waiting");
    const waiting = await register.query("elicitations.list", { limit: 1 });
    expect(waiting.rows).toMatchObject([{ thread_id: id, mode: "form", message: "Which port?", status: "pending" }]);
    const rest = await register.query("elicitations.list", { limit: 1, cursor: waiting.next_cursor });
    expect([...waiting.rows, ...rest.rows].map((row) => row.elicitation_id)).toEqual(["answered", "left open"]);
    const answer = { elicitation_id: "answered", decided_by: "person", reason: null };
    register.append(id, fact({ type: "elicitation_decided", ...answer, status: "accepted", content: { port: 80 } }));
    register.append(id, fact({ type: "elicitation_decided", ...answer, status: "declined", content: null }));
    await register.settled(id);
    expect((await register.getThread(id))?.status).toBe("waiting");
    endTurn(register, id, "turn-1");
    await register.settled(id);
    const { elicitations, thread } = await register.snapshot(id);
    expect(elicitations).toMatchObject([
      { elicitation_id: "answered", status: "accepted", content: { port: 80 }, decided_by: "person" },
      { elicitation_id: "left open", status: "cancelled", content: null, decided_by: "turn_end" },
    ]);
    expect(thread.status).toBe("idle");
    expect((await register.query("elicitations.list", {})).rows).toEqual([]);
    const accepted = await register.query("elicitations.list", { thread_id: id, status: "accepted" });
    expect(accepted.rows).toMatchObject([{ elicitation_id: "answered" }]);
  });

  it("late news refine a tool call that has ended, and never open it again", async () => {
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

  it("[R7] a turn ends once, and what is told of it later changes nothing", async () => {
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

  it("a queued turn can be edited or taken out, and its prompt becomes a message when it runs", async () => {
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

  it("a restart interrupts what ran, and keeps everything else", async () => {
    const temporary = await open();
    const id = await threadWithTurn(temporary.register);
    temporary.register.append(id, says("half a sen"));
    temporary.register.append(id, toolCall("running", { status: "in_progress" }));
    const question = { permission_id: "p", tool_call: { toolCallId: "running" }, options: [] };
    temporary.register.append(id, fact({ type: "permission_requested", ...question }));
    temporary.register.append(id, elicitation("e"));
    temporary.register.append(id, fact({ type: "terminal_created", terminal_id: "x", command: "sleep", cwd: null }));
    const register = await temporary.reopen();
    const snapshot = await register.snapshot(id);
    expect(snapshot.thread.status).toBe("interrupted");
    expect(snapshot.turns).toMatchObject([{ status: "interrupted", ended_at: expect.any(Number) }]);
    expect(snapshot.permissions).toMatchObject([{ status: "cancelled" }]);
    expect(snapshot.elicitations).toMatchObject([{ status: "cancelled" }]);
    expect(snapshot.terminals).toMatchObject([{ ended_at: expect.any(Number) }]);
    expect(snapshot.timeline.map(nameItem)).toEqual(["go", "half a sen", "running"]);
    expect(await toolCallRow(register, id, "running")).toMatchObject({
      status: "failed",
      content: [{ content: { text: expect.stringContaining("Signalbox stopped") } }],
    });
    expect((await register.snapshot(id)).timeline.some((item) => item.type === "message" && item.partial)).toBe(false);
  });

  it("a thread is stopped after a turn that was cancelled, until another turn has ended", async () => {
    const { register } = await open();
    const id = await threadWithTurn(register);
    register.append(id, fact({ type: "turn_ended", turn_id: "turn-1", stop_reason: "cancelled" }));
    await register.settled(id);
    expect(await register.getThread(id)).toMatchObject({ status: "idle", stopped: true });
    register.append(id, fact({ type: "turn_started", turn_id: "turn-2" }));
    endTurn(register, id, "turn-2");
    await register.settled(id);
    expect(await register.getThread(id)).toMatchObject({ status: "idle", stopped: false });
  });

  it("a thread is starting from its creation until its session has started, the start failed, or a restart", async () => {
    const temporary = await open();
    const { register } = temporary;
    const started = await register.createThread({ agent_id: "agent", cwd: "/", starting: true });
    const dies = await register.createThread({ agent_id: "agent", cwd: "/", starting: true });
    const resumed = await threadWithTurn(register);
    expect(started).toMatchObject({ status: "idle", starting: true });
    register.append(started.id, fact({ type: "session_started", session_id: "s-1" }));
    register.append(resumed, fact({ type: "session_starting" }));
    await register.settled(started.id);
    await register.settled(resumed);
    expect(await register.getThread(started.id)).toMatchObject({ starting: false });
    expect(await register.getThread(resumed)).toMatchObject({ status: "running", starting: true });
    register.append(resumed, fact({ type: "session_start_failed", reason: "gone" }));
    endTurn(register, resumed, "turn-1");
    await register.settled(resumed);
    expect(await register.getThread(resumed)).toMatchObject({ status: "idle", starting: false });
    // The host dies in the first start: nothing is done there.
    const after = await temporary.reopen();
    expect(await after.getThread(dies.id)).toMatchObject({ status: "interrupted", starting: false });
  });
}
