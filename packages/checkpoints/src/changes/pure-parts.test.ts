// Checks the small pure parts: paths as bytes, floods, sources of a change, hunks taken back.
import { compareLines } from "@signalbox/protocol/compare-lines";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type DescribedEdit, decideSource } from "./change-sources.ts";
import { CheckpointPool } from "./checkpoint-pool.ts";
import { compareTexts } from "./compare-texts.ts";
import { canCompare } from "./describe-change.ts";
import { limits, separateFloods } from "./guards.ts";
import { fromText, toText } from "./paths.ts";
import { undoHunks } from "./undo-hunks.ts";

describe("a path", () => {
  it("of any bytes comes back from its text the same, also through JSON", () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 12 }), (bytes) => {
        const path = Buffer.from(bytes).toString("latin1");
        const travelled: unknown = JSON.parse(JSON.stringify(toText(path)));
        expect(fromText(String(travelled))).toBe(path);
      }),
    );
    expect(toText(Buffer.from("ä ö").toString("latin1"))).toBe("ä ö");
    expect(toText("a\xff")).toBe("a\udcff");
  });
});

describe("floods of new files", () => {
  const many = (folder: string, count: number) => Array.from({ length: count }, (_, index) => `${folder}${index}`);

  it("are left out at the folder nearest to the top that has too many", () => {
    const paths = ["a", "src/b", ...many("out/x/", limits.newFiles), ...many("out/y/", 2)];
    expect(separateFloods(paths, false)).toEqual({
      kept: ["src/b", "a"],
      floods: [{ folder: "out", count: limits.newFiles + 2 }],
    });
    expect(separateFloods(paths, true).floods).toEqual([]);
  });

  it("in many folders with some files each are left out together", () => {
    const paths = Array.from({ length: 15 }, (_, index) => many(`d${index}/`, 1500)).flat();
    expect(separateFloods(paths, false)).toEqual({ kept: [], floods: [{ folder: "", count: 22_500 }] });
  });

  it("directly in the thread's folder are left out too", () => {
    const { kept, floods } = separateFloods(["src/b", ...many("x", limits.newFiles + 1)], false);
    expect(kept).toEqual(["src/b"]);
    expect(floods).toEqual([{ folder: "", count: limits.newFiles + 1 }]);
  });
});

describe("a machine without git", () => {
  it("has no checkpoints, and says why", () => {
    const pool = new CheckpointPool("/no/such/data", { helper: undefined });
    expect(pool.describeProblem(import.meta.dirname, null)).toContain("git is not installed");
    expect(pool.describeProblem(import.meta.dirname, "/usr/bin/git")).toBeNull();
    expect(pool.describeProblem("/", "/usr/bin/git")).toContain("home folder");
    expect(pool.describeProblem("/no/such/folder", "/usr/bin/git")).toContain("cannot be read");
  });
});

describe("the source of a change", () => {
  const edit = (before: string | null, after: string | null): DescribedEdit => ({ path: "a", before, after });
  it.each([
    ["command", [], "one", "two"],
    ["tool", [edit(null, "two")], "one", "two"],
    ["tool", [edit("n", "N")], "one", "oNe"],
    ["tool", [edit("n", "N"), edit("e", "E")], "one", "oNE"],
    ["both", [edit("n", "N")], "one", "oNe formatted"],
    ["both", [edit(null, "two")], "one", null],
    ["tool", [edit(null, null)], "one", null],
    // The place is not known: the text at least is there.
    ["tool", [edit("missing", "two")], "one", "two"],
    ["both", [edit("missing", "two")], "one", "three"],
    // The agent's call and the host's item describe the same write, in either order.
    ["tool", [edit("two", "2"), edit("one two", "one 2")], "one two", "one 2"],
    ["both", [edit("two", "2"), edit("one two", "one 2")], "one two", "one 2 three"],
    ["both", [edit("one two", "one 2"), edit("two", "2")], "one two", "one 2 three"],
  ] as const)("is %s for %o", (source, edits, was, is) => {
    expect(decideSource(edits, was, is)).toBe(source);
  });
});

describe("hunks taken back", () => {
  const text = fc.array(fc.constantFrom("a", "b", "c", ""), { maxLength: 30 }).map((lines) => lines.join("\n"));

  it("all of them give the old text, each alone a text that differs in this hunk only", async () => {
    await fc.assert(
      fc.asyncProperty(text, text, async (before, after) => {
        const { hunks } = await compareTexts(before, after);
        expect(undoHunks(after, hunks)).toBe(before);
        for (const hunk of hunks) {
          const others = await compareTexts(undoHunks(after, [hunk]), after);
          expect(others.added + others.removed).toBe(hunk.lines.filter((line) => /^[+-]/.test(line)).length);
        }
      }),
    );
  });

  it("may have more lines than a call can have arguments", async () => {
    const before = "a\n".repeat(300_000);
    const { hunks } = await compareTexts(before, "b\n");
    expect(undoHunks("b\n", hunks)).toBe(before);
  });
});

it("texts of very many lines are not compared: each line costs memory and time of its own", () => {
  const lines = (count: number) => Buffer.from("\n".repeat(count));
  expect(canCompare(lines(400_000), lines(500_000))).toBe(true);
  expect(canCompare(lines(500_000), lines(500_001))).toBe(false);
  expect(canCompare(Buffer.alloc(8_000_000), Buffer.alloc(8_000_001))).toBe(false);
});

it("compares a change for Changes exactly as the card of the tool call does, however large it is", async () => {
  const before = Array.from({ length: 3000 }, (_, index) => `line ${index}\n`);
  const after = before.map((line, index) => (index % 3 === 0 ? `new ${line}` : line));
  const compared = await compareTexts(before.join(""), after.join(""));
  expect(compared).toMatchObject({ added: 1000, removed: 1000, isRough: false });
  expect(compareLines(before.join(""), after.join(""))).toEqual(compared);
});
