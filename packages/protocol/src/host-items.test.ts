import { describe, expect, it } from "vitest";
import { nestHostItems } from "./host-items.ts";
import type { TimelineItem } from "./rows.ts";

const terminal = (terminalId: string) => ({ type: "terminal", terminalId });
const call = (seq: number, tool_call_id: string, ...content: object[]) =>
  ({
    type: "tool_call",
    seq,
    tool_call_id,
    content,
    kind: "execute",
    title: tool_call_id,
    raw_input: null,
    locations: [],
  }) as unknown as TimelineItem;
/** A call of this kind with this command or file. */
const about = (
  seq: number,
  tool_call_id: string,
  kind: string,
  { command, path }: { command?: string; path?: string },
) =>
  ({
    ...call(seq, tool_call_id),
    kind,
    title: command === undefined ? tool_call_id : `\`${command}\``,
    raw_input: command === undefined ? null : { command },
    locations: path === undefined ? [] : [{ path }],
  }) as TimelineItem;
const item = (seq: number, terminalId: string) => call(seq, `signalbox-${terminalId}`, terminal(terminalId));

/** The ids of what stands alone, each with the ids of the items inside it. */
function outline(...rows: TimelineItem[]): readonly unknown[] {
  const { items, within } = nestHostItems(rows);
  return items.flatMap((row) => {
    if (row.type !== "tool_call") return [];
    const nested = within.get(row.tool_call_id);
    return nested === undefined
      ? [row.tool_call_id]
      : [[row.tool_call_id, ...nested.map(({ tool_call_id }) => tool_call_id)]];
  });
}

describe("an item of the host", () => {
  it("stands alone while no call of the agent shows its terminal", () => {
    expect(outline(call(1, "bash"), item(2, "t1"))).toEqual(["bash", "signalbox-t1"]);
  });

  it("is nested in the call that shows its terminal, and only there", () => {
    expect(outline(call(1, "bash", terminal("t1")), item(2, "t1"), call(3, "again", terminal("t1")))).toEqual([
      ["bash", "signalbox-t1"],
      "again",
    ]);
  });

  it("is nested in a call that came later", () => {
    expect(outline(item(1, "t1"), call(2, "bash", terminal("t1")))).toEqual([["bash", "signalbox-t1"]]);
  });

  it("of which one call shows several is nested there in their order", () => {
    expect(outline(call(1, "bash", terminal("t2"), terminal("t1")), item(2, "t1"), item(3, "t2"))).toEqual([
      ["bash", "signalbox-t1", "signalbox-t2"],
    ]);
  });

  it("is nested in the last call before it that names the same command", () => {
    const command = "npm test";
    expect(outline(about(1, "bash", "execute", { command }), about(2, "signalbox-1", "execute", { command }))).toEqual([
      ["bash", "signalbox-1"],
    ]);
    expect(
      outline(about(1, "bash", "execute", { command: "ls" }), about(2, "signalbox-1", "execute", { command })),
    ).toEqual(["bash", "signalbox-1"]);
  });

  it("is not nested in a call of the same command that another call follows", () => {
    const command = "npm test";
    expect(
      outline(
        about(1, "bash", "execute", { command }),
        call(2, "other"),
        about(3, "signalbox-1", "execute", { command }),
      ),
    ).toEqual(["bash", "other", "signalbox-1"]);
  });

  it("is nested in the last edit before it that names the same file", () => {
    const path = "/w/a.txt";
    expect(outline(about(1, "edit", "edit", { path }), about(2, "signalbox-1", "edit", { path }))).toEqual([
      ["edit", "signalbox-1"],
    ]);
    expect(outline(about(1, "read", "read", { path }), about(2, "signalbox-1", "edit", { path }))).toEqual([
      "read",
      "signalbox-1",
    ]);
  });

  it("without a terminal, such as a question about a file, stands alone", () => {
    const question = call(2, "signalbox-q", { type: "diff", path: "/a" });
    expect(outline(call(1, "edit", terminal("t9")), question)).toEqual(["edit", "signalbox-q"]);
  });
});

it("gives the same list where nothing is nested, so that a page draws nothing anew", () => {
  const rows = [call(1, "bash", terminal("agents-own")), item(2, "t1")];
  expect(nestHostItems(rows).items).toBe(rows);
});
