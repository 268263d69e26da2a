import { describe, expect, it } from "vitest";
import { splitMarkdown } from "./markdown-blocks.ts";

const blocksOf = (text: string) => splitMarkdown(text).blocks.map((block) => block.trimEnd());

describe("blocks of Markdown", () => {
  it("are what blank lines separate", () => {
    expect(blocksOf("# Title\n\nOne\ntwo\n\nThree")).toEqual(["# Title", "One\ntwo", "Three"]);
  });

  it("keep a fence whole, blank lines and all, also while it is open", () => {
    const fence = "```ts\nconst a = 1\n\n~~~\nconst b = 2\n```";
    expect(blocksOf(`before\n${fence}\nafter`)).toEqual(["before", `${fence}\nafter`]);
    expect(blocksOf("````md\n```\n\n```\n````")).toEqual(["````md\n```\n\n```\n````"]);
    expect(blocksOf("```\nopen\n\nstill open")).toEqual(["```\nopen\n\nstill open"]);
  });

  it("keep a list whole, so that it counts on", () => {
    expect(blocksOf("1. one\n\n2. two\n\n   more\n\nend")).toEqual(["1. one\n\n2. two\n\n   more", "end"]);
  });

  it("do not change any more once another follows: only the last is parsed again", () => {
    const text = "Intro\n\n- a\n- b\n\n```\ncode\n\nmore\n```\n\n| a | b |\n| - | - |\n| 1 | 2 |\n\nThe end.";
    let before: readonly string[] = [];
    for (let length = 1; length <= text.length; length++) {
      const now = splitMarkdown(text.slice(0, length)).blocks;
      const settled = before.slice(0, -1).map((block) => block.trimEnd());
      expect(now.slice(0, settled.length).map((block) => block.trimEnd())).toEqual(settled);
      before = now;
    }
  });

  it("leave out the footnotes, which stand below the text", () => {
    const notes = "[^1]: First, over\ntwo lines.\n\n    And a second part.\n[^Why]: Because.\n\nAfter.\n\n[^1]: Again.";
    const { blocks, footnotes } = splitMarkdown(`One[^1] and why[^why].\n\n${notes}\n\n\`\`\`\n[^2]: code\n\`\`\``);
    expect(blocks.map((block) => block.trimEnd())).toEqual([
      "One[^1] and why[^why].",
      "After.",
      "[^1]: Again.",
      "```\n[^2]: code\n```",
    ]);
    expect(footnotes).toEqual([
      { label: "1", text: "First, over\ntwo lines.\n\nAnd a second part." },
      { label: "Why", text: "Because.\n" },
    ]);
  });

  it("share link definitions", () => {
    expect(splitMarkdown("See [a].\n\nAnd [b][a].\n\n[a]: https://example.org").definitions).toBe(
      "[a]: https://example.org",
    );
  });
});
