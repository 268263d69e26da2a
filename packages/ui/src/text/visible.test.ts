import { expect, it } from "vitest";
import { visible, visibleInLine } from "./visible.ts";

it.each([
  ["\u202etxt.exe", "⟨U+202E⟩txt.exe"],
  ["rm\u200b -rf", "rm⟨U+200B⟩ -rf"],
  ["a\r\u001b[2Kb", "a⟨U+000D⟩⟨U+001B⟩[2Kb"],
  ["a\tb\nc", "a\tb\nc"],
  ["naïve 日本語 עברית", "naïve 日本語 עברית"],
])("%j is shown as %j", (text, shown) => expect(visible(text)).toBe(shown));

it("a carriage return at the end of a line belongs to the line's end", () => {
  expect(visibleInLine("a\rb\r", true)).toBe("a⟨U+000D⟩b\r");
  expect(visibleInLine("a\r", false)).toBe("a⟨U+000D⟩");
});
