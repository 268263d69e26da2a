import { describe, expect, it } from "vitest";
import { replaceText, withLineEndsOf } from "./replace-text.ts";

const edit = (oldString: string, newString: string, replaceAll = false) => ({ oldString, newString, replaceAll });

describe("an edit", () => {
  it("replaces what is there once", () => {
    expect(replaceText("one two three", edit("two", "2"))).toEqual({ text: "one 2 three", count: 1 });
  });

  it("is refused when the text is not there, is there more than once, or would not change", () => {
    expect(() => replaceText("one", edit("two", "2"))).toThrow("is not in the file");
    expect(() => replaceText("a a a", edit("a", "b"))).toThrow("3 times");
    expect(() => replaceText("end\nend\nend\n", edit("end\nend", "end"))).toThrow("more than once");
    expect(() => replaceText("a", edit("a", "a"))).toThrow("the same");
  });

  it("replaces every occurrence where it is told so", () => {
    expect(replaceText("a a a", edit("a", "b", true))).toEqual({ text: "b b b", count: 3 });
  });

  it("takes both strings literally", () => {
    expect(replaceText("x.*y", edit(".*", "$&$1"))).toEqual({ text: "x$&$1y", count: 1 });
  });

  it("keeps CRLF, although the model writes LF", () => {
    expect(replaceText("one\r\ntwo\r\n", edit("one\ntwo\n", "1\n2\n3\n")).text).toBe("1\r\n2\r\n3\r\n");
    expect(replaceText("one\r\ntwo\r\n", edit("two", "2\n3")).text).toBe("one\r\n2\r\n3\r\n");
    expect(replaceText("one\r\ntwo\r\n", edit("one\r\n", "1\r\n")).text).toBe("1\r\ntwo\r\n");
    expect(replaceText("one\ntwo\n", edit("one\n", "1\n")).text).toBe("1\ntwo\n");
  });
});

describe("a file that is written anew", () => {
  it("keeps the line ends that it had", () => {
    expect(withLineEndsOf("a\r\nb\r\n", "c\nd\n")).toBe("c\r\nd\r\n");
    expect(withLineEndsOf("a\nb\n", "c\nd\n")).toBe("c\nd\n");
    expect(withLineEndsOf("", "c\n")).toBe("c\n");
  });
});
