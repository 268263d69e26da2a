import { describe, expect, it } from "vitest";
import { fileName } from "./export-thread.ts";

describe("the name of an exported file", () => {
  it("is the title, without what a path or a shell would read", () => {
    expect(["Fix `a/b`: now!", "../../etc/passwd", "Überschrift 漢字", "…", ".hidden"].map(fileName)).toEqual([
      "Fix-a-b-now",
      "etc-passwd",
      "Überschrift-漢字",
      "thread",
      "hidden",
    ]);
  });
});
