import { describe, expect, it } from "vitest";
import { fuzzyFilter } from "./fuzzy.ts";

describe("filtering as you type", () => {
  it("puts beginnings of words before middles and scattered letters", () => {
    const names = ["Rest a while", "New thread", "Set theme", "Go to settings"];
    expect(fuzzyFilter("set", names, (name) => name)).toEqual(["Set theme", "Go to settings"]);
    expect(fuzzyFilter("nth", names, (name) => name)).toEqual(["New thread"]);
    expect(fuzzyFilter("", names, (name) => name)).toEqual(names);
    expect(fuzzyFilter("zzz", names, (name) => name)).toEqual([]);
  });
});
