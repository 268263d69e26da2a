import { describe, expect, it } from "vitest";
import { SeenFiles } from "./seen-files.ts";

describe("what Claude knows of files", () => {
  it("is nothing at first", () => {
    expect(new SeenFiles().compare("/a", "text")).toBe("unseen");
  });

  it("notices any change of a file that was seen whole, also after its end", () => {
    const seen = new SeenFiles();
    seen.noteLines("/a", 1, "one\ntwo\n", true);
    expect(seen.compare("/a", "one\ntwo\n")).toBe("same");
    expect(seen.compare("/a", "one\n2\n")).toBe("changed");
    expect(seen.compare("/a", "one\ntwo\nthree\n")).toBe("changed");
    expect(seen.compare("/a", "")).toBe("changed");
  });

  it("holds against the parts that were seen, not against those that were not", () => {
    const seen = new SeenFiles();
    seen.noteLines("/a", 2, "two\n", false);
    expect(seen.compare("/a", "1\ntwo\n3\n")).toBe("same");
    expect(seen.compare("/a", "new\none\ntwo\n")).toBe("changed");
  });

  it("does not mind a client that leaves out the end of the last line", () => {
    const seen = new SeenFiles();
    seen.noteLines("/a", 1, "one\r\ntwo", true);
    expect(seen.compare("/a", "one\r\ntwo\r\n")).toBe("same");
  });

  it("takes what was shown last for lines that were shown twice, and what was written for all", () => {
    const seen = new SeenFiles();
    seen.noteLines("/a", 1, "one\ntwo\n", true);
    seen.noteLines("/a", 1, "1\ntwo\n", true);
    expect(seen.compare("/a", "1\ntwo\n")).toBe("same");
    seen.noteWhole("/a", "all new");
    expect(seen.compare("/a", "all new")).toBe("same");
    expect(seen.compare("/a", "1\ntwo\n")).toBe("changed");
  });
});
