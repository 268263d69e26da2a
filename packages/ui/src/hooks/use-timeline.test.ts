import type { ElicitationRow, TimelineItem, TurnRow } from "@signalbox/protocol";
import { describe, expect, it } from "vitest";
import { stopsOf } from "./use-timeline.ts";

const item = (seq: number) => ({ type: "message", seq }) as TimelineItem;
const turn = (turn_id: string, last_seq: number, ended_at: number | null = 1) =>
  ({ turn_id, last_seq, ended_at }) as TurnRow;

describe("the line", () => {
  it("puts the end of a turn after what it brought and before the next prompt", () => {
    const stops = stopsOf([item(1), item(3), item(6), item(8)], [turn("first", 4), turn("second", 9)]);
    expect(stops.map((stop) => stop.key)).toEqual(["item-1", "item-3", "first", "item-6", "item-8", "second"]);
  });

  it("puts a question of the agent where it was asked", () => {
    const asked = { elicitation_id: "asked", seq: 4 } as ElicitationRow;
    const stops = stopsOf([item(1), item(3), item(6)], [turn("first", 7)], [asked]);
    expect(stops.map((stop) => stop.key)).toEqual(["item-1", "item-3", "asked", "item-6", "first"]);
  });

  it("leaves out turns that still run and those older than what is shown", () => {
    const stops = stopsOf([item(10)], [turn("old", 4), turn("running", 12, null)]);
    expect(stops.map((stop) => stop.key)).toEqual(["item-10"]);
  });
});
