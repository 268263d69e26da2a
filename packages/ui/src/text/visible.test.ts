import { expect, it } from "vitest";
import { visible } from "./visible.ts";

it.each([
  ["\u202etxt.exe", "⟨U+202E⟩txt.exe"],
  ["rm\u200b -rf", "rm⟨U+200B⟩ -rf"],
  ["a\r\u001b[2Kb", "a⟨U+000D⟩⟨U+001B⟩[2Kb"],
  ["a\tb\nc", "a\tb\nc"],
  ["naïve 日本語 עברית", "naïve 日本語 עברית"],
])("%j is shown as %j", (text, shown) => expect(visible(text)).toBe(shown));
