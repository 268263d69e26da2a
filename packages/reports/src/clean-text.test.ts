import { describe, expect, it } from "vitest";
import { cleanLine, cleanText } from "./clean-text.ts";

describe("text of an agent on a terminal", () => {
  it.each([
    ["colour", "a\x1b[31mred\x1b[0m", "ared"],
    ["cursor and screen", "a\x1b[2J\x1b[Hb\x1b[1;1H", "ab"],
    ["window title", "a\x1b]0;evil\x07b", "ab"],
    ["link", "\x1b]8;;http://evil\x1b\\click\x1b]8;;\x1b\\", "click"],
    ["a sequence that never ends", "a\x1b]0;evil", "a"],
    ["device control", "a\x1bP1$r\x1b\\b", "ab"],
    ["eight-bit introducer", "a\x9b31mb", "ab"],
    ["a lone escape", "a\x1b", "a"],
    ["BEL, backspace, delete, carriage return", "a\x07b\x08c\x7fd\re", "abcde"],
    ["reversed writing direction", "user\u202eexe.txt\u202c", "userexe.txt"],
  ])("has no %s", (_what, text, clean) => {
    expect(cleanText(text)).toBe(clean);
  });

  it("keeps lines, tabs and every script", () => {
    const text = "one\n\ttwo — 漢字 🎉 e\u0301";
    expect(cleanText(text)).toBe(text);
    expect(cleanText("a\r\nb")).toBe("a\nb");
  });

  it("becomes one line where it must", () => {
    expect(cleanLine(" a\nb\tc\r\nd ")).toBe("a b c d");
  });
});
