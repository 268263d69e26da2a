import type { ElicitationRow, TimelineItem, TurnRow } from "@signalbox/protocol";
import { describe, expect, it } from "vitest";
import { buildNesting } from "./sub-agents.ts";
import { buildEntries } from "./use-timeline.ts";

const item = (seq: number) => ({ type: "message", seq }) as TimelineItem;
const turn = (turn_id: string, last_seq: number, ended_at: number | null = 1) =>
  ({ turn_id, last_seq, ended_at, restored_to: null }) as TurnRow;

describe("the timeline", () => {
  it("puts the end of a turn after what it brought and before the next prompt", () => {
    const entries = buildEntries({
      items: [item(1), item(3), item(6), item(8)],
      turns: [turn("first", 4), turn("second", 9)],
    });
    expect(entries.map((entry) => entry.key)).toEqual(["item-1", "item-3", "first", "item-6", "item-8", "second"]);
  });

  it("puts a question of the agent where it was asked", () => {
    const asked = { elicitation_id: "asked", seq: 4 } as ElicitationRow;
    const entries = buildEntries({ items: [item(1), item(3), item(6)], turns: [turn("first", 7)], questions: [asked] });
    expect(entries.map((entry) => entry.key)).toEqual(["item-1", "item-3", "asked", "item-6", "first"]);
  });

  it("names the agents of a thread that was handed over, where each begins", () => {
    const of = (agent_id: string, seq: number, last_seq: number) => ({ ...turn(`t${seq}`, last_seq), seq, agent_id });
    const turns = [of("a", 1, 4), of("a", 5, 7), of("b", 8, 10)];
    const entries = buildEntries({ items: [item(2), item(6), item(9)], turns });
    expect(entries.map(({ key }) => key)).toEqual([
      "agent-t1",
      "item-2",
      "t1",
      "item-6",
      "t5",
      "agent-t8",
      "item-9",
      "t8",
    ]);
    // What is not loaded is not named; the first turn that is has its agent's name.
    const newest = buildEntries({ items: [item(6), item(9)], turns }).map(({ key }) => key);
    expect(newest).toEqual(["agent-t5", "item-6", "t5", "agent-t8", "item-9", "t8"]);
    expect(buildEntries({ items: [item(2)], turns: [of("a", 1, 4)] }).map(({ key }) => key)).toEqual(["item-2", "t1"]);
  });

  it("leaves out turns that still run and those older than what is shown", () => {
    const entries = buildEntries({ items: [item(10)], turns: [turn("old", 4), turn("running", 12, null)] });
    expect(entries.map((entry) => entry.key)).toEqual(["item-10"]);
  });
});

const call = (seq: number, id: string, parent: string | null = null) =>
  ({ type: "tool_call", seq, tool_call_id: id, parent_tool_call_id: parent }) as unknown as TimelineItem;
const said = (seq: number, parent: string) => ({ ...item(seq), parent_tool_call_id: parent }) as TimelineItem;
/** The line as indented ids; `+` after what can be opened. */
function lineOf(items: readonly TimelineItem[], open: readonly string[], turns: readonly TurnRow[] = []) {
  const isOpen = (work: { call: string }) => open.includes(work.call);
  return buildEntries({ items, turns, nesting: buildNesting(items), isOpen }).map((entry) => {
    const hasWork = (entry.type === "item" || entry.type === "sub_agent") && entry.work !== null;
    const id = entry.type === "item" && entry.item.type === "tool_call" ? entry.item.tool_call_id : entry.key;
    return `${"  ".repeat(entry.depth)}${id}${hasWork ? "+" : ""}`;
  });
}

describe("sub-agents", () => {
  const two = [item(1), call(2, "one"), call(3, "two"), call(4, "b1", "two"), call(5, "a1", "one"), item(6)];

  it("are grouped under the call that started them, folded or open, several at a time", () => {
    expect(lineOf(two, [])).toEqual(["item-1", "one+", "two+", "item-6"]);
    expect(lineOf(two, ["one", "two"])).toEqual(["item-1", "one+", "  a1", "two+", "  b1", "item-6"]);
  });

  it("keep what comes late, after the end of the turn too", () => {
    const items = [call(1, "one"), item(2), item(5), call(6, "late", "one")];
    expect(lineOf(items, ["one"], [turn("first", 3)])).toEqual(["one+", "  late", "item-2", "first", "item-5"]);
  });

  it("have a head of their own where the call that started them is not loaded, until it is", () => {
    const loaded = [item(10), call(11, "a1", "gone"), item(12), call(13, "a2", "gone")];
    expect(lineOf(loaded, [])).toEqual(["item-10", "work-gone+", "item-12"]);
    expect(lineOf(loaded, ["gone"])).toEqual(["item-10", "work-gone+", "  a1", "  a2", "item-12"]);
    expect(lineOf([call(3, "gone"), ...loaded], ["gone"])).toEqual(["gone+", "  a1", "  a2", "item-10", "item-12"]);
  });

  it("count the calls of their own sub-agents, and go in no deeper than three", () => {
    const deep = [
      call(1, "a"),
      call(2, "b", "a"),
      call(3, "c", "b"),
      call(4, "d", "c"),
      call(5, "e", "d"),
      call(6, "f", "e"),
    ];
    expect(lineOf(deep, ["a", "b", "c", "d", "e"])).toEqual(["a+", "  b+", "    c+", "      d", "      e", "      f"]);
    const nesting = buildNesting(deep);
    expect(nesting?.workOf(deep[0] as TimelineItem)?.calls.map(({ seq }) => seq)).toEqual([2, 3, 4, 5, 6]);
    expect(nesting?.worksAround(4).map((work) => work.call)).toEqual(["c", "b", "a"]);
  });

  it("show everything once, whatever an agent claims", () => {
    const open = ["a", "b", "c"];
    expect(lineOf([call(1, "a", "a")], open)).toEqual(["work-a+", "  a"]);
    expect(lineOf([call(1, "a", "b"), call(2, "b", "a"), call(3, "c", "b")], open)).toEqual([
      "work-b+",
      "  a+",
      "    b",
      "  c",
    ]);
  });

  it("have their texts among their calls, in order", () => {
    const items = [call(1, "one"), said(2, "one"), item(3), call(4, "a1", "one"), said(5, "one")];
    expect(lineOf(items, [])).toEqual(["one+", "item-3"]);
    expect(lineOf(items, ["one"])).toEqual(["one+", "  item-2", "  a1", "  item-5", "item-3"]);
    expect(buildNesting(items)?.workOf(items[0] as TimelineItem)?.calls).toHaveLength(1);
  });

  it("cost nothing where there are none", () => {
    expect(buildNesting([item(1), call(2, "one")])).toBeNull();
  });
});
