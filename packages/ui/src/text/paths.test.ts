import { describe, expect, it } from "vitest";
import { fromHome, shortPath, toAbsolute } from "./paths.ts";

describe("paths", () => {
  it("are shortened inside the thread's folder and the home folder", () => {
    expect(shortPath("/code/ferry/src/a.ts", "/code/ferry")).toBe("src/a.ts");
    expect(shortPath("/code/ferryboat/a.ts", "/code/ferry")).toBe("/code/ferryboat/a.ts");
    expect(["/home/ada", "/home/ada/ferry", "/home/adam", "/srv"].map((path) => fromHome(path, "/home/ada"))).toEqual([
      "~",
      "~/ferry",
      "/home/adam",
      "/srv",
    ]);
    expect(fromHome("/srv", null)).toBe("/srv");
    // With / as the home folder, every path would be in it.
    expect(fromHome("/srv", "/")).toBe("/srv");
  });

  it("may begin with ~ for the home folder", () => {
    const paths = ["~", "~/ferry", "~adam/x", "/srv/~"];
    expect(paths.map((path) => toAbsolute(path, "/home/ada"))).toEqual([
      "/home/ada",
      "/home/ada/ferry",
      "~adam/x",
      "/srv/~",
    ]);
    expect(toAbsolute("~/x", null)).toBe("~/x");
  });
});
