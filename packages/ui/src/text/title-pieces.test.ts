import { describe, expect, it } from "vitest";
import { titlePieces } from "./title-pieces.ts";

describe("a title", () => {
  it("shows what stands between backticks as code", () => {
    expect(titlePieces("Read `src/a.ts` (1 - 5)")).toEqual([
      { text: "Read ", code: false },
      { text: "src/a.ts", code: true },
      { text: " (1 - 5)", code: false },
    ]);
    expect(titlePieces("`echo \\`date\\``")).toEqual([{ text: "echo `date`", code: true }]);
    expect(titlePieces("a ` alone\nand two lines")).toEqual([{ text: "a ` alone and two lines", code: false }]);
  });
});
