import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { slow } from "../testing/temporary-register.ts";
import { applyDifference, findDifference } from "./differences.ts";

describe("the difference of a text from one before it", slow, () => {
  it("gives the text again", () => {
    const piece = fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom('"}]', "]}}", "line 1\n", "x".repeat(40)));
    const text = fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join(""));
    fc.assert(
      fc.property(text, text, text, text, (before, added, middle, after) => {
        const base = before + middle + after;
        for (const next of [before + added + middle + added + after, base, added, added + base]) {
          const difference = findDifference(base, next);
          if (difference !== null) expect(applyDifference(base, JSON.parse(JSON.stringify(difference)))).toBe(next);
        }
      }),
    );
  });

  it("is what was added, also when it was added twice", () => {
    const update = (output: string) =>
      JSON.stringify({ content: [{ text: output }], rawOutput: { output, code: null } });
    const lines = (count: number) => Array.from({ length: count }, (_, index) => `line ${index}\n`).join("");
    const difference = findDifference(update(lines(1000)), update(lines(1010)));
    expect(JSON.stringify(difference).length).toBeLessThan(200);
  });

  it("is null when too little is the same", () => {
    expect(findDifference("a".repeat(5000), "b".repeat(5000))).toBeNull();
  });
});
