import type { TimelineItem, TurnRow } from "@signalbox/protocol";
import { expect, it } from "vitest";
import { listCheckpoints } from "./checkpoints.ts";

const turn = (turn_id: string, seq: number, fields: object = {}) =>
  ({ turn_id, seq, last_seq: seq + 5, started_at: 0, restored_to: null, checkpoint: null, ...fields }) as TurnRow;
const said = (seq: number, text: string) => ({ type: "message", role: "user", seq, text }) as TimelineItem;
const read = (turns: readonly TurnRow[], timeline: readonly TimelineItem[] = []) =>
  listCheckpoints({ turns, timeline });

it("begins with the whole thread, then has each turn by its prompt", () => {
  const [all, first] = read([turn("a", 1)], [said(2, "Make it retry\nand more")]);
  expect(all).toMatchObject({ turnId: null, label: "Whole thread" });
  expect(first).toMatchObject({ turnId: "a", label: "Make it retry" });
});

it("cuts a long prompt at a word", () => {
  const [, first] = read([turn("a", 1)], [said(2, "word ".repeat(30))]);
  expect(first?.label).toBe(`${"word ".repeat(9)}…`);
});

it("says how many files each changed, and what was undone", () => {
  const labels = read([
    turn("a", 1, { checkpoint: { files_changed: 1 } }),
    turn("b", 7, { restored_to: "a", checkpoint: { files_changed: 3 } }),
    turn("waiting", 13, { started_at: null }),
  ]).map(({ label, detail }) => `${label}, ${detail.split(" · ")[1]}`);
  expect(labels.slice(1)).toEqual(["Prompt, 1 file", "Undone by you, 3 files"]);
});
