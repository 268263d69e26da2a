import type { EventRow, Fact, Json, PermissionDecided } from "@signalbox/protocol";
import { describe, expect, it } from "vitest";
import { type Layout, plain } from "./layout.ts";
import { TurnPrinter, turnExitCodes } from "./turn-printer.ts";

const file: Layout = { isTerminal: false, width: Number.POSITIVE_INFINITY, paint: plain, now: 0 };
const terminal: Layout = { ...file, isTerminal: true, width: 40 };

const event = (kind: string, payload: Json): EventRow => ({ thread_id: "t", seq: 1, ts: 0, kind, payload });
const update = (kind: string, fields: object) => event(kind, { update: { sessionUpdate: kind, ...fields } });
const chunk = (text: string) => update("agent_message_chunk", { content: { type: "text", text } });
const call = (fields: object) => update("tool_call", { toolCallId: "c", title: "A tool", ...fields });
/** A fact as the log has it. */
const record = (fact: Fact) => event(`signalbox/${fact.type}`, JSON.parse(JSON.stringify(fact)));
const end = (stop_reason: string) => record({ type: "turn_ended", turn_id: "x", stop_reason });
const decided = (fields: Partial<PermissionDecided>) =>
  record({
    type: "permission_decided",
    permission_id: "p",
    status: "denied",
    option_id: null,
    decided_by: "command",
    rule: null,
    ...fields,
  });
const requested = (fields: object) =>
  event("signalbox/permission_requested", {
    type: "permission_requested",
    permission_id: "p",
    tool_call: { toolCallId: "c", title: "A tool" },
    options: [],
    subject: {},
    ...fields,
  });

function print(layout: Layout, ...events: readonly EventRow[]) {
  const printer = new TurnPrinter({ stdout: layout, stderr: layout, waitsForAnswers: false });
  const all = events.flatMap((one) => printer.print(one));
  const text = (to: string) =>
    all
      .filter((piece) => piece.to === to)
      .map((piece) => piece.text)
      .join("");
  return { stdout: text("stdout"), stderr: text("stderr"), whole: all.map((piece) => piece.text).join(""), printer };
}

describe("a turn as it is printed", () => {
  it("gives a file the text as the agent wrote it, with a new paragraph after anything else", () => {
    const { stdout } = print(
      file,
      chunk("one "),
      chunk("\x1b[1mtwo\x1b[0m"),
      call({ status: "completed" }),
      chunk("three"),
      end("end_turn"),
    );
    expect(stdout).toBe("one \x1b[1mtwo\x1b[0m\n\nthree\n");
  });

  it("gives a terminal no control characters, and starts each note on a new line", () => {
    const { whole } = print(
      terminal,
      chunk("\x1b[2Jone"),
      call({ status: "completed" }),
      chunk("two"),
      end("end_turn"),
    );
    expect(whole).toBe("one\n✓ A tool (other, 0 ms)\ntwo\n");
  });

  it("prints a tool call once, when it ends, and at the latest with the turn", () => {
    const { stderr } = print(
      file,
      call({ status: "pending" }),
      update("tool_call_update", { toolCallId: "c", status: "completed", title: "Better title" }),
      update("tool_call_update", { toolCallId: "c", status: "completed" }),
      update("tool_call_update", { toolCallId: "never announced" }),
      end("end_turn"),
    );
    expect(stderr).toBe("✓ Better title (other, 0 ms)\n… Tool call (other, 0 ms)\n");
  });

  it("says in one line why a call failed: how its command ended with the end of its output, else what the tool said", () => {
    const shown = [{ type: "terminal", terminalId: "t" }];
    const said = (text: string) => [{ type: "content", content: { type: "text", text } }];
    const command = print(
      file,
      call({ kind: "execute", content: shown }),
      record({ type: "terminal_output", terminal_id: "t", text: "all good\nerror: \x1b[31mno " }),
      record({ type: "terminal_output", terminal_id: "t", text: "such file\n" }),
      record({ type: "terminal_ended", terminal_id: "t", exit_code: 3, signal: null }),
      update("tool_call_update", { toolCallId: "c", status: "failed" }),
    );
    expect(command.stderr).toBe("✗ A tool (execute, 0 ms)\n  exit 3: error: no such file\n");
    const reasons = (fields: object) =>
      print(file, call({ status: "failed", ...fields }))
        .stderr.split("\n")
        .slice(1);
    expect(reasons({ kind: "read", content: said("a.txt does\nnot exist.") })).toEqual(["  a.txt does not exist.", ""]);
    expect(reasons({ kind: "execute", content: said("a\n".repeat(200) + "1 failed\n") })).toEqual(["  1 failed", ""]);
    expect(reasons({ content: said("x".repeat(9_999)) })[0]).toHaveLength(302);
    expect(reasons({})).toEqual([""]);
    expect(reasons({ status: "completed", content: said("fine") })).toEqual([""]);
  });

  it("calls a call that only a question describes what the question calls it", () => {
    const ended = update("tool_call_update", { toolCallId: "c", status: "completed" });
    const question = requested({ tool_call: { toolCallId: "c", title: "Connect to example.com", kind: "fetch" } });
    expect(print(file, question, ended).stderr).toBe("✓ Connect to example.com (fetch, 0 ms)\n");
  });

  it("gives a denied call no other reason than its denial", () => {
    const content = [{ type: "content", content: { type: "text", text: "for the model" } }];
    const { stderr } = print(file, requested({}), decided({}), call({ status: "failed", content }));
    expect(stderr).toBe("denied because no rule allows it; --allow RULE would\n✗ A tool (other, 0 ms)\n");
  });

  it("says what waits for an answer on the page, where it waits for one", () => {
    const questions = [requested({ subject: null }), requested({}), requested({ tool_call: null })];
    const waiting = new TurnPrinter({ stdout: file, stderr: file, waitsForAnswers: true });
    expect(questions.map((question) => waiting.print(question).map(({ text }) => text))).toEqual([
      [],
      ["waiting for an answer on the page: A tool\n"],
      ["waiting for an answer on the page: Tool call\n"],
    ]);
    expect(print(file, ...questions).stderr).toBe("");
  });

  it("puts notices of the agent and the name of the model beside the answer, not into it", () => {
    const notice = update("notice", { title: "Asking again in 3 seconds.", description: "It is busy." });
    const ended = record({ type: "turn_ended", turn_id: "x", stop_reason: "end_turn", model: "anthropic:m\x1b[1m" });
    const { stdout, stderr } = print(file, chunk("one"), notice, chunk("two"), ended);
    expect(stdout).toBe("one\n\ntwo\n");
    expect(stderr).toBe("Asking again in 3 seconds.\n\nIt is busy.\nModel: anthropic:m\n");
  });

  it("says that the cost is not known where tokens were used, and no cost was reported, also not that it was nothing", () => {
    const usage = { totalTokens: 120 };
    const ended = record({ type: "turn_ended", turn_id: "x", stop_reason: "end_turn", model: "m", usage });
    expect(print(file, update("usage_update", { used: 1, size: 2 }), ended).stderr).toBe("Model: m, cost not known\n");
    const free = update("usage_update", { used: 1, size: 2, cost: { amount: 0, currency: "USD" } });
    expect(print(file, free, ended).stderr).toBe("Model: m\n");
  });

  it.each([
    ["end_turn", 0],
    ["something new", 0],
    ["refusal", 2],
    ["max_tokens", 4],
    ["max_turn_requests", 4],
    ["cancelled", 130],
  ])("%s is exit code %i", (stopReason, code) => {
    expect(turnExitCodes[print(file, end(stopReason)).printer.outcome ?? "failed"]).toBe(code);
  });

  it.each([
    [{ code: -32_603, data: { code: "misconfigured" } }, 64],
    [{ code: -32_603, data: { code: "unauthorized" } }, 3],
    [null, 3],
  ])("a failure with %j is exit code %i: without a model it is the command line that is wrong", (details, code) => {
    const error = { code: "agent_failed", message: "azure needs the name of your deployment.", details };
    const { printer, stderr } = print(file, record({ type: "turn_failed", turn_id: "x", error }));
    expect(turnExitCodes[printer.outcome ?? "ended"]).toBe(code);
    expect(stderr).toBe("azure needs the name of your deployment.\n");
  });

  it.each(["end_turn", "cancelled"])("a denial decides the exit code, even when the turn ends as %s", (stopReason) => {
    const { printer, stderr } = print(file, decided({}), end(stopReason));
    expect(printer.outcome).toBe("denied");
    expect(stderr).toContain("denied because no rule allows it; --allow RULE would\n");
  });

  it("an unanswered question has a line, and is no denial", () => {
    const asked = record({
      type: "elicitation_requested",
      elicitation_id: "e",
      mode: "form",
      message: "Which port?",
      schema: {},
      url: null,
      tool_call_id: null,
    });
    const answered = record({
      type: "elicitation_decided",
      elicitation_id: "e",
      status: "cancelled",
      content: null,
      decided_by: "command",
      reason: "There was no answer.",
    });
    const { printer, stderr } = print(file, asked, answered, end("end_turn"));
    expect(printer.outcome).toBe("ended");
    expect(stderr).toBe("not answered: Which port? (There was no answer.)\n");
  });

  it("a failure takes precedence over a denial, and its message is printed", () => {
    const failed = record({
      type: "turn_failed",
      turn_id: "x",
      error: { code: "agent_failed", message: "It died." },
    });
    const { printer, stderr } = print(file, decided({ rule: "kind:edit" }), failed);
    expect(printer.outcome).toBe("failed");
    expect(stderr).toBe("denied by rule kind:edit\nIt died.\n");
  });

  it("has no outcome before the end, whatever comes", () => {
    const { printer, whole } = print(
      file,
      event("vendor/thing", null),
      event("tool_call", []),
      update("agent_message_chunk", { content: 7 }),
    );
    expect(printer.outcome).toBeNull();
    expect(whole).toBe("");
  });
});
