import { describe, expect, it } from "vitest";
import { fromHome, shortPath } from "./paths.ts";

describe("paths", () => {
  it("are said from the thread's folder on, or from home on", () => {
    expect(shortPath("/code/ferry/src/a.ts", "/code/ferry")).toBe("src/a.ts");
    expect(shortPath("/code/ferryboat/a.ts", "/code/ferry")).toBe("/code/ferryboat/a.ts");
    expect(["/home/ada", "/home/ada/ferry", "/home/adam", "/srv"].map((path) => fromHome(path, "/home/ada"))).toEqual([
      "~",
      "~/ferry",
      "/home/adam",
      "/srv",
    ]);
    expect(fromHome("/srv", null)).toBe("/srv");
    // A home at the root would make everything a part of it.
    expect(fromHome("/srv", "/")).toBe("/srv");
  });
});
