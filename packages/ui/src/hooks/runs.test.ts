import type { TimelineItem, ToolCallRow } from "@signalbox/protocol";
import { describe, expect, it } from "vitest";
import { canFold, describeRun, isPlanUpdate } from "./runs.ts";
import { buildEntries, foldRuns } from "./use-timeline.ts";

type Fields = Partial<ToolCallRow>;

const call = (seq: number, fields: Fields = {}) =>
  ({
    type: "tool_call",
    seq,
    tool_call_id: `c${seq}`,
    kind: "read",
    status: "completed",
    content: [],
    locations: [],
    raw_input: null,
    created_at: 0,
    started_at: 0,
    ended_at: 500,
    waited_ms: 0,
    parent_tool_call_id: null,
    ...fields,
  }) as unknown as ToolCallRow & { type: "tool_call" };
const text = (seq: number) => ({ type: "message", kind: "message", role: "agent", seq }) as unknown as TimelineItem;
const thought = (seq: number, partial = false) => ({ ...text(seq), kind: "reason", partial }) as TimelineItem;
const plan = (seq: number) =>
  call(seq, { kind: "think", raw_input: { todos: [{ content: "Write a note", status: "pending" }] } });
const diff = { type: "diff", path: "/a.ts", oldText: "a", newText: "b" } as never;

/** The line as keys; a folded run has the seqs of its items after it. */
function drawLine(items: readonly TimelineItem[], { loud = [], open = [] }: { loud?: number[]; open?: number[] } = {}) {
  const entries = foldRuns(
    buildEntries({ items }),
    ({ seq }) => loud.includes(seq),
    (seq) => open.includes(seq),
  );
  return entries.map((entry) => {
    if (entry.type === "run") return `${entry.isOpen ? "open" : "run"} ${entry.items.map(({ seq }) => seq).join(" ")}`;
    return entry.type === "item" && entry.isRow === true ? `row ${entry.seq}` : String(entry.seq);
  });
}

describe("runs of finished calls", () => {
  it("fold into one entry, between the texts around them", () => {
    expect(drawLine([text(1), call(2), call(3), text(4), call(5), text(6)])).toEqual(["1", "run 2 3", "4", "5", "6"]);
  });

  it.each<[string, Fields]>([
    ["changed a file", { content: [diff] }],
    ["is an edit", { kind: "edit" }],
    ["deletes", { kind: "delete" }],
    ["moves", { kind: "move" }],
    ["failed", { status: "failed" }],
    ["runs", { status: "in_progress" }],
    ["waits", { status: "pending" }],
  ])("never hide a call that %s", (_, fields) => {
    expect(drawLine([call(1), call(2), call(3, fields), call(4), call(5)])).toEqual(["run 1 2", "3", "run 4 5"]);
    expect(canFold({ item: call(1), commands: [call(2, fields)] }, () => false)).toBe(false);
  });

  it("leave out a call that a person opened, or whose command ended with an error", () => {
    expect(drawLine([call(1), call(2), call(3), call(4), call(5)], { loud: [3] })).toEqual(["run 1 2", "3", "run 4 5"]);
  });

  it("hold the thoughts between their calls, but not those before, after, or still being thought", () => {
    expect(drawLine([thought(1), call(2), thought(3), call(4), thought(5)])).toEqual(["1", "run 2 3 4", "5"]);
    expect(drawLine([call(1), thought(2, true), call(3)])).toEqual(["1", "2", "3"]);
    expect(drawLine([thought(1), call(2), thought(3)])).toEqual(["1", "2", "3"]);
  });

  it("unfold to rows, and stay unfolded when older calls join them", () => {
    expect(drawLine([call(2), call(3)], { open: [2] })).toEqual(["open 2 3", "row 2", "row 3"]);
    expect(drawLine([call(1), call(2), call(3)], { open: [2] })).toEqual(["open 1 2 3", "row 1", "row 2", "row 3"]);
  });

  it("are rows beside the line, where a sub-agent was opened, and do not reach from there into the line", () => {
    const entries = [1, 2, 3, 4].map((seq) => ({
      ...(buildEntries({ items: [call(seq)] })[0] as NonNullable<ReturnType<typeof buildEntries>[0]>),
      depth: seq > 2 ? 0 : 1,
    }));
    const folded = foldRuns(entries);
    expect(folded.map(({ key }) => key)).toEqual(["item-1", "item-2", "run-3"]);
    expect(folded.map((entry) => entry.type === "item" && entry.isRow)).toEqual([true, true, false]);
  });
});

describe("updates of the plan", () => {
  it("are no cards, in a run or alone", () => {
    expect(drawLine([plan(1), text(2), plan(3), call(4), text(5), call(6), plan(7), call(8)])).toEqual([
      "2",
      "4",
      "5",
      "run 6 7 8",
    ]);
  });

  it("are known by their steps, not by their name", () => {
    const steps = [{ step: "Look", status: "completed" }];
    expect(isPlanUpdate(call(1, { kind: "other", raw_input: { explanation: "why", plan: steps } }))).toBe(true);
    expect(isPlanUpdate(call(1, { kind: "edit", raw_input: { plan: steps } }))).toBe(false);
    expect(isPlanUpdate(call(1, { kind: "other", raw_input: { list: ["a"] } }))).toBe(false);
    expect(isPlanUpdate(call(1, { kind: "other", raw_input: { plan: [] } }))).toBe(false);
  });
});

describe("the line of a run", () => {
  it("says what was done how often, in the order in which it began, and how long it took", () => {
    const calls = [
      call(1, { locations: [{ path: "/a" }] }),
      call(2, { kind: "search" }),
      call(3, { locations: [{ path: "/b" }] }),
      call(4, { kind: "execute", ended_at: 2100 }),
      call(5, { kind: "search" }),
    ];
    expect(describeRun(calls)).toEqual(["Read 2 files", "searched twice", "ran 1 command", "4.1 s"]);
  });

  it("counts a file that is read in parts once", () => {
    const calls = [call(1, { locations: [{ path: "/a" }] }), call(2, { locations: [{ path: "/a" }] })];
    expect(describeRun(calls)).toEqual(["Read 1 file", "1.0 s"]);
  });

  it("says nothing about times that are not known, and calls what it does not know a tool", () => {
    const calls = [
      call(1, { kind: "other", started_at: null, ended_at: 0 }),
      call(2, { kind: "odd" as never, ended_at: 0 }),
    ];
    expect(describeRun(calls)).toEqual(["Used 2 tools"]);
  });
});
