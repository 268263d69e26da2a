import { homedir } from "node:os";
import { describe, expect, it } from "vitest";
import { diffContent } from "../content/content.ts";
import { changedLocations, findLocations } from "./locations.ts";

describe("findLocations", () => {
  it.each([
    [{ path: "a.ts" }, [{ path: "a.ts" }]],
    [{ file_path: "a.ts", line: 7 }, [{ path: "a.ts", line: 7 }]],
    [{ filePath: "a.ts", offset: 6 }, [{ path: "a.ts", line: 7 }]],
    [{ targetFile: "a.ts", content: "x" }, [{ path: "a.ts" }]],
    [{ directory: "src" }, [{ path: "src" }]],
    [{ source: "a/b", destination: "c/d" }, [{ path: "a/b" }, { path: "c/d" }]],
    [{ paths: ["a", "b", 3] }, [{ path: "a" }, { path: "b" }]],
    [{ files: [{ path: "a", line: 1 }, { path: "b" }] }, [{ path: "a", line: 1 }, { path: "b" }]],
    [
      { path: "a", edits: [{ line: 3 }, { line: 9 }] },
      [
        { path: "a", line: 3 },
        { path: "a", line: 9 },
      ],
    ],
    [{ path: "a", old_path: "a" }, [{ path: "a" }]],
    [{ edit: { path: "a", line: 2 }, deep: { more: [{ file: "b" }] } }, [{ path: "a", line: 2 }, { path: "b" }]],
    [{ source: "a.txt", destination: "b.txt" }, [{ path: "a.txt" }, { path: "b.txt" }]],
    [{ source: "wikipedia", to: "Ann" }, []],
    [{ from: "ann@example.org", to: "bob@example.org" }, []],
    [{ path: "https://example.org/a" }, []],
    [{ path: "line\nbreak" }, []],
    [{ path: "" }, []],
    [
      [{ path: "a" }, [{ path: "b" }]],
      [{ path: "a" }, { path: "b" }],
    ],
    ["a.ts", []],
    [null, []],
  ])("finds in %o every path", (args, locations) => {
    expect(findLocations(args)).toEqual(locations);
  });

  it("makes the paths absolute when it knows from where", () => {
    expect(findLocations({ path: "src/../a.ts" }, "/project")).toEqual([{ path: "/project/a.ts" }]);
    expect(findLocations({ path: "/etc/hosts" }, "/project")).toEqual([{ path: "/etc/hosts" }]);
    expect(findLocations({ path: "~/notes" }, "/project")).toEqual([{ path: `${homedir()}/notes` }]);
    expect(findLocations({ uri: "file:///tmp/a%20b" }, "/project")).toEqual([{ path: "/tmp/a b" }]);
  });

  it("takes cyclic arguments", () => {
    const args: Record<string, unknown> = { path: "a" };
    args.self = args;
    args.list = [args, { args, path: "b" }];
    expect(findLocations(args)).toEqual([{ path: "a" }, { path: "b" }]);
  });

  it("stays bounded for arguments with very many paths", () => {
    expect(findLocations({ paths: Array.from({ length: 10_000 }, (_, i) => `f${i}`) })).toHaveLength(100);
  });
});

describe("changedLocations", () => {
  const file = Array.from({ length: 300 }, (_, i) => `line ${i + 1}`);
  const changed = (change: (lines: string[]) => void) => {
    const lines = [...file];
    change(lines);
    return changedLocations("/f", file.join("\n"), lines.join("\n")).map(({ line }) => line);
  };

  it("names the first line of every change", () => {
    expect(changed((lines) => lines.splice(49, 1, "new"))).toEqual([50]);
    expect(changed((lines) => lines.splice(9, 2, "a", "b", "c"))).toEqual([10]);
    expect(
      changed((lines) => {
        lines[199] = "b";
        lines.splice(9, 0, "inserted");
      }),
    ).toEqual([10, 201]);
    expect(changed((lines) => lines.splice(20, 5))).toEqual([21]);
  });

  it("is empty when nothing changed, and the first line for a new file", () => {
    expect(changed(() => undefined)).toEqual([]);
    expect(changedLocations("/f", null, "a\nb")).toEqual([{ path: "/f", line: 1 }]);
  });

  it("stays bounded for an edit with very many changes", () => {
    const before = Array.from({ length: 1000 }, (_, i) => `line ${i}`);
    const after = before.map((line, i) => (i % 2 === 0 ? line : `${line}!`));
    expect(changedLocations("/f", before.join("\n"), after.join("\n"))).toHaveLength(50);
  });

  it("points at a line that exists when the end of the file was removed", () => {
    expect(changed((lines) => lines.splice(290))).toEqual([290]);
  });

  it("takes a file that was written anew as one change, quickly", () => {
    const before = Array.from({ length: 20_000 }, (_, i) => `old ${i}`).join("\n");
    const after = Array.from({ length: 20_000 }, (_, i) => `new ${i}`).join("\n");
    expect(changedLocations("/f", before, after)).toEqual([{ path: "/f", line: 1 }]);
  });
});

describe("diffContent", () => {
  it("is ACP's diff content", () => {
    expect(diffContent("/f", "a", "b")).toEqual({ type: "diff", path: "/f", oldText: "a", newText: "b" });
  });

  it("has no old text for a new file", () => {
    expect(diffContent("/f", undefined, "b")).toEqual({ type: "diff", path: "/f", oldText: null, newText: "b" });
  });
});
