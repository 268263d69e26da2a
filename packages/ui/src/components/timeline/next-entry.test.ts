import { describe, expect, it } from "vitest";
import type { TimelineEntry } from "../../hooks/use-timeline.ts";
import { isError, isToolCall, nextIndex } from "./next-entry.ts";

const tool = (status: string) => ({ type: "item", item: { type: "tool_call", status }, work: null }) as TimelineEntry;
const text = { type: "item", item: { type: "message" }, work: null } as TimelineEntry;
const end = (status: string) => ({ type: "turn_end", turn: { status } }) as TimelineEntry;
const entries = [text, tool("completed"), text, tool("failed"), end("failed"), end("ended")];

describe("jumping", () => {
  it("goes to the next tool call and begins anew at the end", () => {
    expect(nextIndex(entries, isToolCall, 0, 1)).toBe(1);
    expect(nextIndex(entries, isToolCall, 1, 1)).toBe(3);
    expect(nextIndex(entries, isToolCall, 3, 1)).toBe(1);
    expect(nextIndex(entries, isToolCall, 1, -1)).toBe(3);
  });

  it("counts failed calls and failed turns as errors", () => {
    expect(nextIndex(entries, isError, 0, 1)).toBe(3);
    expect(nextIndex(entries, isError, 3, 1)).toBe(4);
    expect(nextIndex([text], isError, 0, 1)).toBe(-1);
  });

  it("finds an error that is folded away, and the call itself when it is not", () => {
    const folded = (isOpen: boolean) =>
      ({ ...tool("completed"), work: { isOpen, calls: [{ status: "failed" }] } }) as unknown as TimelineEntry;
    expect(nextIndex([text, folded(false), text], isError, 0, 1)).toBe(1);
    expect(nextIndex([text, folded(true), tool("failed")], isError, 0, 1)).toBe(2);
  });
});
