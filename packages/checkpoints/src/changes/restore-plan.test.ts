import { describe, expect, it } from "vitest";
import { type FileState, notKeptMode } from "./checkpoint.ts";
import { type Author, foreignReasons, planRestore, type Step } from "./restore-plan.ts";

const file = (sha: string, mode = 0o100644): FileState => ({ mode, sha });
const step = (
  author: Author,
  ...changes: readonly [path: string, before: FileState | null, after: FileState | null][]
): Step => ({
  author,
  changes: changes.map(([path, before, after]) => ({ path, before, after })),
});
const { between, since } = foreignReasons;

describe("the plan of a restore", () => {
  it("puts back what the thread changed, over several turns, to what was there first", () => {
    const steps = [
      step("thread", ["a", file("1"), file("2")], ["new", null, file("n")], ["gone", file("g"), null]),
      step("thread", ["a", file("2"), file("3")], ["mode", file("m"), file("m", 0o100600)]),
    ];
    expect(planRestore(steps)).toEqual({
      files: [
        { path: "a", now: file("3"), earlier: file("1") },
        { path: "gone", now: null, earlier: file("g") },
        { path: "mode", now: file("m", 0o100600), earlier: file("m") },
        { path: "new", now: file("n"), earlier: null },
      ],
      conflicts: [],
    });
  });

  it("names what the thread may have changed as a conflict, and does not put it back", () => {
    const steps = [
      step("thread", ["a", file("1"), file("2")]),
      step("unknown", ["a", file("2"), file("3")], ["b", file("1"), file("2")]),
    ];
    const { unknown: reason } = foreignReasons;
    expect(planRestore(steps)).toEqual({
      files: [],
      conflicts: [
        { path: "a", reason },
        { path: "b", reason },
      ],
    });
  });

  it("leaves alone what others changed, and what is as it was", () => {
    const steps = [
      step("thread", ["a", file("1"), file("2")], ["back", file("1"), file("2")]),
      step("between", ["theirs", file("1"), file("2")], ["a", file("2"), file("3")]),
      step("thread", ["a", file("3"), file("4")], ["back", file("2"), file("1")], ["late", file("1"), file("2")]),
      step("since", ["late", file("2"), file("3")]),
    ];
    expect(planRestore(steps)).toEqual({
      files: [],
      conflicts: [
        { path: "a", reason: between },
        { path: "late", reason: since },
      ],
    });
  });

  it("never puts back what was not kept, nor what could not be undone", () => {
    const big = file("s", notKeptMode);
    const { files, conflicts } = planRestore([step("thread", ["was", big, file("1")], ["is", file("1"), big])]);
    expect(files).toEqual([]);
    expect(conflicts.map(({ path }) => path)).toEqual(["is", "was"]);
  });

  it("takes only the wanted paths, and says which of them the thread did not change", () => {
    const steps = [step("thread", ["a", file("1"), file("2")], ["b", file("1"), file("2")])];
    expect(planRestore(steps, new Set(["a", "c"]))).toMatchObject({
      files: [{ path: "a" }],
      conflicts: [{ path: "c" }],
    });
  });
});
