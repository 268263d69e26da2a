import { describe, expect, it } from "vitest";
import { applyHunks } from "./apply-hunks.ts";
import { type FilePatch, parsePatch } from "./parse-patch.ts";

const patch = (body: string) => `*** Begin Patch\n${body}\n*** End Patch`;

function filesOf(text: string): readonly FilePatch[] {
  const parsed = parsePatch(text);
  if ("problem" in parsed) throw new Error(parsed.problem);
  return parsed.files;
}

/** The text after hunks, or why they do not fit. */
function applied(before: string, hunks: string): string {
  const [file] = filesOf(patch(`*** Update File: f\n${hunks}`));
  if (file?.type !== "update") throw new Error("no update");
  const result = applyHunks(before, file.hunks);
  return "problem" in result ? `problem: ${result.problem}` : result.text;
}

describe("a patch", () => {
  it("adds, deletes, updates and moves files, also with words around it", () => {
    const body =
      "*** Add File: a.txt\n+one\n+\n*** Delete File: b.txt\n*** Update File: c.txt\n*** Move to: d.txt\n@@ f()\n-x\n+y";
    expect(filesOf(`apply_patch <<'EOF'\n${patch(body)}\nEOF`)).toEqual([
      { type: "add", path: "a.txt", text: "one\n\n" },
      { type: "delete", path: "b.txt" },
      {
        type: "update",
        path: "c.txt",
        moveTo: "d.txt",
        hunks: [{ anchors: ["f()"], oldLines: ["x"], newLines: ["y"], kept: [null], isAtEnd: false }],
      },
    ]);
  });

  it.each([
    ["words", "no *** Begin Patch"],
    [patch(""), "names no file"],
    [patch("hello"), "belongs to no file"],
    [patch("*** Add File: a\nno plus"), "must begin with +"],
    [patch("*** Update File: a"), "no hunk"],
    [patch("*** Update File: a\n@@\nxyz"), "must begin with a blank"],
    [patch("*** Delete File: a\n*** Delete File: a"), "twice"],
  ])("that is %j is explained", (text, problem) => {
    expect(parsePatch(text)).toEqual({ problem: expect.stringContaining(problem) });
  });
});

describe("hunks", () => {
  const twice = "class A\n  f()\n    x\nclass B\n  f()\n    x\n";

  it.each([
    ["a\nb\nc\n", "@@\n a\n-b\n+B\n c", "a\nB\nc\n"],
    ["a\nb\nc", "@@\n-c\n+C\n+d", "a\nb\nC\nd"],
    ["a\nb\n", "-a\n", "b\n"],
    // Numbers of lines say nothing.
    ["a\nb\n", "@@ -7,2 +7,2 @@\n-b\n+B", "a\nB\n"],
    // An empty line of the context may have lost its blank.
    ["a\n\nb\n", "@@\n a\n\n-b\n+B", "a\n\nB\n"],
    ["a\nb\nc\nd\n", "@@\n-a\n+A\n@@\n-d\n+D", "A\nb\nc\nD\n"],
    [twice, "@@ class B\n@@ f()\n-    x\n+    y", "class A\n  f()\n    x\nclass B\n  f()\n    y\n"],
    [twice, "@@\n-    x\n+    y\n*** End of File", "class A\n  f()\n    x\nclass B\n  f()\n    y\n"],
    ["a\nb\n", "@@ a\n+new", "a\nnew\nb\n"],
    ["a\nb", "@@\n+new", "a\nb\nnew\n"],
    ["a\r\nb\r\n", "@@\n-b\n+B\n+c", "a\r\nB\r\nc\r\n"],
    // As tolerant as an edit.
    [
      "  if (a) {\n    run(“x”);\n  }\n",
      '@@\n if (a) {\n-  run("x");\n+  stop("x");\n }',
      '  if (a) {\n    stop("x");\n  }\n',
    ],
    // What the patch only shows stays as it is.
    ["one   \ntwo\n‘x’ \nend\n", "@@\n one\n-two\n+2\n 'x'\n-end\n+END", "one   \n2\n‘x’ \nEND\n"],
    ["\tone \r\n\ttwo\r\n", "@@\n one\n-two\n+2", "\tone \r\n\t2\r\n"],
  ])("of %j: %j", (before, hunks, after) => {
    expect(applied(before, hunks)).toBe(after);
  });

  it.each([
    [twice, "@@\n-    x\n+    y", "in 2 places (lines 3, 6)"],
    ["const total = 1;\n", "@@\n-const totals = 12;\n+x", "The nearest text is:\n1\tconst total = 1;"],
    ["a\nb\n", "@@ missing()\n-b\n+c", "line after @@ was not found"],
    ["a\nb\nb2\n", "@@\n-a\n+A\n@@\n-zzz\n+y", "Hunk 2 of 2"],
    ["a\n", "@@\n a", "change nothing"],
  ])("that do not fit in %j say why: %j", (before, hunks, problem) => {
    expect(applied(before, hunks)).toContain(problem);
  });
});
