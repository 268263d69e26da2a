import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { threadSnapshot } from "../../../test/support/rows.ts";
import type { TimelineItem } from "./rows.ts";
import type { MessageChange, ThreadChange } from "./server-messages.ts";
import type { MessageRow, TerminalRow, ToolCallRow } from "./tables.ts";
import { applyChange, applyOlderPage, applySnapshot, type ThreadView } from "./thread-view.ts";

function text(seq: number, itemSeq: number, offset: number, delta: string): MessageChange {
  return {
    type: "tinyvex.update",
    stream: "messages",
    thread_id: "t",
    seq,
    item_id: `m${itemSeq}`,
    item_seq: itemSeq,
    role: "assistant",
    kind: "message",
    text_offset: offset,
    text_delta: delta,
    ts: seq,
  };
}

function tool(seq: number, itemSeq: number, status: string): ThreadChange {
  const row: ToolCallRow = {
    thread_id: "t",
    tool_call_id: `c${itemSeq}`,
    seq: itemSeq,
    last_seq: seq,
    title: "Read",
    name: null,
    kind: "read",
    status,
    content: [],
    locations: [],
    raw_input: null,
    raw_output: null,
    meta: null,
    created_at: 0,
    started_at: null,
    ended_at: null,
  };
  return { type: "tinyvex.update", stream: "tool_calls", thread_id: "t", seq, row };
}

const start = applySnapshot(null, threadSnapshot());
const follow = (view: ThreadView, changes: readonly ThreadChange[]) => changes.reduce(applyChange, view);
const shape = (view: ThreadView) =>
  view.timeline.map((item) => (item.type === "message" ? item.text : `${item.tool_call_id} ${item.status}`));

describe("a thread as a client follows it", () => {
  it("keeps text, tool, text as three items in the order of their first appearance", () => {
    const view = follow(start, [
      text(1, 1, 0, "I'll look. "),
      tool(2, 2, "pending"),
      text(3, 3, 0, "Found"),
      tool(4, 2, "completed"),
      text(5, 3, 5, " it."),
    ]);
    expect(shape(view)).toEqual(["I'll look. ", "c2 completed", "Found it."]);
    expect(view.seq).toBe(5);
  });

  it("changes nothing when the same change comes twice", () => {
    const changes = [text(1, 1, 0, "one "), text(2, 1, 4, "two"), tool(3, 3, "completed")];
    const once = follow(start, changes);
    expect(follow(once, changes)).toEqual(once);
  });

  it("marks a gap when text is missing, and takes what is newer to close it", () => {
    const view = follow(start, [text(1, 1, 0, "one "), text(3, 1, 8, "three")]);
    expect(view.gap).toBe(true);
    expect(view.seq).toBe(1);
    const whole: TimelineItem = { ...messageIn(view), text: "one two three", text_len: 13, last_seq: 3 };
    const closed = applySnapshot(view, threadSnapshot({ newer_only: true, seq: 3, timeline: [whole] }));
    expect(closed.gap).toBe(false);
    expect(shape(closed)).toEqual(["one two three"]);
  });

  it("does not let an older row replace a newer one", () => {
    const view = follow(start, [tool(5, 2, "completed"), tool(3, 2, "pending")]);
    expect(shape(view)).toEqual(["c2 completed"]);
  });

  it("appends only what is new when a change overlaps the snapshot", () => {
    const known = follow(start, [text(1, 1, 0, "one two")]);
    expect(shape(applyChange(known, text(2, 1, 4, "two three")))).toEqual(["one two three"]);
  });

  it("ends a message when it is told the whole length, and sees a gap when it has less", () => {
    const view = follow(start, [text(1, 1, 0, "one")]);
    const end = { type: "tinyvex.finalize", stream: "messages", thread_id: "t", seq: 2, item_id: "m1" } as const;
    expect(messageIn(applyChange(view, { ...end, text_len: 3 })).partial).toBe(false);
    expect(applyChange(view, { ...end, text_len: 9 }).gap).toBe(true);
  });

  it("puts an older page in front, without doubles", () => {
    const view = follow(start, [tool(5, 5, "completed"), tool(6, 6, "completed")]);
    const older = follow(start, [tool(4, 4, "completed"), tool(5, 5, "completed")]).timeline;
    expect(shape(applyOlderPage(view, older, false))).toEqual(["c4 completed", "c5 completed", "c6 completed"]);
  });

  it("ignores changes of other threads", () => {
    expect(applyChange(start, { ...text(1, 1, 0, "x"), thread_id: "other" })).toBe(start);
  });

  it("ends up the same wherever the snapshot is taken and however much of it comes again", () => {
    const stream = fc.array(fc.record({ isTool: fc.boolean(), item: fc.nat(3), words: fc.string({ maxLength: 6 }) }), {
      minLength: 1,
      maxLength: 40,
    });
    fc.assert(
      fc.property(stream, fc.nat(), fc.nat(), (steps, splitAt, backAt) => {
        const changes = changesOf(steps);
        const whole = follow(start, changes);
        const split = splitAt % (changes.length + 1);
        const back = backAt % (split + 1);
        // A screen opens in the middle: the snapshot holds the first `split` changes, and some of them come again.
        const middle = follow(start, changes.slice(0, split));
        const opened = applySnapshot(null, threadSnapshot({ timeline: middle.timeline, seq: middle.seq }));
        expect(shape(follow(opened, changes.slice(back)))).toEqual(shape(whole));
      }),
    );
  });
});

/** A stream as the register would publish it: items open when first touched, text grows at its end. */
function changesOf(steps: readonly { isTool: boolean; item: number; words: string }[]): readonly ThreadChange[] {
  const places = new Map<string, { seq: number; length: number }>();
  return steps.map(({ isTool, item, words }, index) => {
    const seq = index + 1;
    const key = `${isTool} ${item}`;
    const place = places.get(key) ?? { seq, length: 0 };
    places.set(key, { seq: place.seq, length: place.length + words.length });
    return isTool ? tool(seq, place.seq, words) : text(seq, place.seq, place.length, words);
  });
}

function messageIn(view: ThreadView): { type: "message" } & MessageRow {
  const item = view.timeline.find((candidate) => candidate.type === "message");
  if (item === undefined) throw new Error("no message");
  return item;
}

describe("a terminal's output", () => {
  const row = (last_seq: number, output_offset: number, output: string): TerminalRow => ({
    thread_id: "t",
    terminal_id: "x",
    seq: 1,
    last_seq,
    command: "ls",
    cwd: null,
    exit_code: null,
    signal: null,
    output,
    output_offset,
    truncated: false,
    output_ref: null,
    created_at: 1,
    ended_at: null,
  });
  const change = (seq: number, offset: number, output: string): ThreadChange => ({
    type: "tinyvex.update",
    stream: "terminals",
    thread_id: "t",
    seq,
    row: row(seq, offset, output),
  });
  const outputOf = (view: ThreadView) => view.terminals.map(({ output, output_offset }) => [output_offset, output]);
  const tail = 64 * 1024;

  it("grows by what each change carries, each change once, from any snapshot on", () => {
    const pieces = fc.array(fc.string({ maxLength: 5 }), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(pieces, fc.nat({ max: 20 }), fc.nat({ max: 30 }), (texts, known, kept) => {
        const whole = texts.join("");
        const ends = texts.map((_, index) => texts.slice(0, index + 1).join("").length);
        const changes = texts.map((piece, index) => change(index + 2, (ends[index] ?? 0) - piece.length, piece));
        const at = Math.min(known, texts.length);
        const before = whole.slice(0, at === 0 ? 0 : ends[at - 1]);
        const from = Math.max(0, before.length - kept);
        const first = threadSnapshot({ seq: at + 1, terminals: [row(at + 1, from, before.slice(from))] });
        // Everything comes again, and some of it twice.
        const view = [...changes, ...changes].reduce(applyChange, applySnapshot(null, first));
        expect(view.gap).toBe(false);
        expect(outputOf(view)).toEqual([[from, whole.slice(from)]]);
      }),
    );
  });

  it("has a gap when a change is missing, and none after the next snapshot", () => {
    const view = [change(2, 0, "one "), change(4, 8, "three")].reduce(
      applyChange,
      applySnapshot(null, threadSnapshot()),
    );
    expect(view.gap).toBe(true);
    const newer = threadSnapshot({ seq: 4, newer_only: true, terminals: [row(4, 0, "one two three")] });
    expect(applySnapshot(view, newer)).toMatchObject({ gap: false, terminals: [{ output: "one two three" }] });
  });

  it("is replaced by a part that begins at 0, and by one that is as much as a view keeps", () => {
    const begun = applyChange(applySnapshot(null, threadSnapshot()), change(2, 0, "first try"));
    expect(outputOf(applyChange(begun, change(3, 0, "second")))).toEqual([[0, "second"]]);
    const flood = "x".repeat(tail);
    expect(outputOf(applyChange(begun, change(3, 5000, flood)))).toEqual([[5000, flood]]);
  });

  it("stays bounded, however long the command runs", () => {
    let view = applySnapshot(null, threadSnapshot());
    for (let index = 0; index < 100; index++)
      view = applyChange(view, change(index + 2, index * 5000, "x".repeat(5000)));
    const [terminal] = view.terminals;
    expect(terminal?.output.length).toBeLessThan(2 * tail);
    expect((terminal?.output_offset ?? 0) + (terminal?.output.length ?? 0)).toBe(500_000);
  });
});
