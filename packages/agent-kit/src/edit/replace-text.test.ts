import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { processorTime } from "../../../../test/support/processor-time.ts";
import { adoptLineEndings, type ReplacedText, replaceText } from "./replace-text.ts";

const replace = (text: string, oldText: string, newText: string, all = false) =>
  replaceText(text, { oldText, newText, all });

function problemOf(replaced: ReplacedText): string {
  return "problem" in replaced ? replaced.problem : "";
}

describe("an edit of a text", () => {
  it("replaces the one place that has the old text", () => {
    expect(replace("let a = 1;\nlet b = 2;\n", "b = 2", "b = 3")).toEqual({
      text: "let a = 1;\nlet b = 3;\n",
      count: 1,
    });
  });

  it("takes the old and the new text literally", () => {
    expect(replace("cost: $1 (a|b)", "$1 (a|b)", "$& $1 $$")).toEqual({ text: "cost: $& $1 $$", count: 1 });
  });

  it("changes every place only when asked to", () => {
    expect(problemOf(replace("x\nx\n", "x", "y"))).toContain("2 places (lines 1, 2)");
    expect(replace("x\nx\n", "x", "y", true)).toEqual({ text: "y\ny\n", count: 2 });
  });

  it("takes places that overlap for what they are: more than one", () => {
    expect(problemOf(replace("end\nend\nend\n", "end\nend", "end"))).toContain("2 places (lines 1, 2)");
    expect(replace("end\nend\nend\nend\n", "end\nend", "end", true)).toEqual({ text: "end\nend\n", count: 2 });
    expect(replace("a\r\nb\r\n", "\nb", "\nc")).toEqual({ text: "a\r\nc\r\n", count: 1 });
  });

  it("finds \\n in a file with \\r\\n and writes \\r\\n", () => {
    expect(replace("a\r\nb\r\nc\r\n", "a\nb", "a\nx\nb")).toEqual({ text: "a\r\nx\r\nb\r\nc\r\n", count: 1 });
  });

  it("gives new lines the ending of the place also when the old text is within one line", () => {
    expect(replace("a\r\nb\r\n", "b", "b\nc")).toEqual({ text: "a\r\nb\r\nc\r\n", count: 1 });
    expect(replace("a\r\nb", "b", "b\nc")).toEqual({ text: "a\r\nb\r\nc", count: 1 });
  });

  it("leaves the endings of a mixed file as they are", () => {
    expect(replace("a\r\nb\nc\r\nd\n", "b\nc", "B\nC")).toEqual({ text: "a\r\nB\nC\r\nd\n", count: 1 });
  });

  it("finds \\r\\n as given, and refuses an edit that would only change line endings", () => {
    expect(replace("one\r\ntwo\r\n", "one\r\n", "1\r\n")).toEqual({ text: "1\r\ntwo\r\n", count: 1 });
    expect(replace("one\ntwo\n", "one\n", "1\r\n")).toEqual({ text: "1\ntwo\n", count: 1 });
    expect(problemOf(replace("one\r\ntwo\r\n", "one\r\n", "one\n"))).toContain("only in line endings");
  });

  it("refuses an empty old text, and a change that changes nothing", () => {
    expect(problemOf(replace("a", "", "b"))).toContain("empty");
    expect(problemOf(replace("a", "a", "a"))).toContain("nothing to change");
  });

  it("shows the nearest lines, with numbers, when the old text is not there", () => {
    const text = "import x\n\nfunction greet(name) {\n  return `Hello, ${name}!`;\n}\n";
    const problem = problemOf(replace(text, "function greet(person) {\n  return `Hello ${person}`;", "…"));
    expect(problem).toContain("3\tfunction greet(name) {\n4\t  return `Hello, ${name}!`;");
  });

  it("says when only spaces differ", () => {
    expect(problemOf(replace("if (a) {\n\treturn 1;\n}", "if (a) {\n    return 1;\n}", "x"))).toContain(
      "differs only in spaces",
    );
  });

  it("takes the one place that differs in blanks at ends of lines, quotes or the indentation of the whole, and says so", () => {
    const file = "class A {\n  run() {  \n    return \u2019hi\u2019;\n  }\n}\n";
    expect(replace(file, "  run() {\n    return \u2019hi\u2019;", "  run() {\n    return 1;")).toEqual({
      text: "class A {\n  run() {\n    return 1;\n  }\n}\n",
      count: 1,
      difference: "blanks at the ends of lines",
    });
    expect(replace(file, "    return 'hi';\n", "    return 1;\n")).toMatchObject({
      text: "class A {\n  run() {  \n    return 1;\n  }\n}\n",
      difference: "quotes, dashes or kinds of blanks",
    });
    expect(
      replace("a\r\n\t\tif (x) {\r\n\t\t\ty();\r\n\t\t}\r\nb", "if (x) {\n\ty();\n}", "if (x) {\n\tz();\n\n\ty();\n}"),
    ).toEqual({
      text: "a\r\n\t\tif (x) {\r\n\t\t\tz();\r\n\r\n\t\t\ty();\r\n\t\t}\r\nb",
      count: 1,
      difference: "indentation",
    });
    expect(
      replace("if (x) {\n  y();\n}\n", "  if (x) {\n    y();\n  }\n", "  if (x) {\n    z();\n  }\n"),
    ).toMatchObject({
      text: "if (x) {\n  z();\n}\n",
    });
  });

  it("takes no such place where there are two, where lines are indented unevenly, or where every place is wanted", () => {
    expect(problemOf(replace("  run();\n    run();\n", "\trun();", "stop();"))).toContain("not found");
    expect(problemOf(replace("if (x) {\n   y();\n}\n", "  if (x) {\n    y();\n  }\n", "z"))).toContain("not found");
    expect(problemOf(replace("  total();\n", "\ttotal();", "x", true))).toContain("not found");
    expect(problemOf(replace("  }\n", "\t}", "x"))).toContain("not found");
  });

  it("says when nothing comes near", () => {
    expect(problemOf(replace("aaaa\nbbbb\n", "const somethingElse = 17;", "x"))).toContain("Nothing in the file");
  });

  it("answers quickly for a big file that does not have the text", () => {
    const text = Array.from({ length: 60_000 }, (_, index) => `line ${index} of a very big file`).join("\n");
    const used = processorTime();
    expect(problemOf(replace(text, "line 4711 of a very large file\nthat has no end", "x"))).toContain("4712\t");
    expect(used()).toBeLessThan(2000);
  });

  it("undoes itself", () => {
    fc.assert(
      fc.property(fc.string(), fc.string({ minLength: 1 }), fc.string(), fc.string({ minLength: 1 }), (a, b, c, d) => {
        fc.pre(!/[\r\n]/.test(a + b + c + d) && (a + b + c).split(b).length === 2 && (a + d + c).split(d).length === 2);
        fc.pre(b !== d);
        const there = replace(a + b + c, b, d);
        expect(there).toEqual({ text: a + d + c, count: 1 });
        expect("text" in there && replace(there.text, d, b)).toEqual({ text: a + b + c, count: 1 });
      }),
    );
  });
});

describe("a file that is written again", () => {
  it("keeps the line endings that it had", () => {
    expect(adoptLineEndings("a\r\nb\r\n", "c\nd\n")).toBe("c\r\nd\r\n");
    expect(adoptLineEndings("a\nb\n", "c\nd\n")).toBe("c\nd\n");
    expect(adoptLineEndings("", "c\n")).toBe("c\n");
  });
});
