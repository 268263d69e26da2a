import { describe, expect, it } from "vitest";
import { findCompletion, promptBlocks, textOfPrompt } from "./prompt-text.ts";

describe("the text of a prompt", () => {
  it("completes a command only at the beginning", () => {
    expect(findCompletion("/rev", 4)).toEqual({ type: "command", typed: "rev", from: 0 });
    expect(findCompletion("see /rev", 8)).toBeNull();
    expect(findCompletion("/review all", 11)).toBeNull();
  });

  it("completes a file after an @, but not inside a word", () => {
    expect(findCompletion("look at @src/a", 14)).toEqual({ type: "file", typed: "src/a", from: 8 });
    expect(findCompletion("me@example.org", 14)).toBeNull();
  });

  it("becomes text and links in the order they were typed", () => {
    const blocks = promptBlocks("Fix @src/a b.ts? no, @src/up.ts now", new Set(["src/up.ts"]), "/home/me/x", []);
    expect(blocks).toEqual([
      { type: "text", text: "Fix @src/a b.ts? no, " },
      { type: "resource_link", uri: "file:///home/me/x/src/up.ts", name: "up.ts" },
      { type: "text", text: " now" },
    ]);
    expect(textOfPrompt(blocks)).toBe("Fix @src/a b.ts? no, @up.ts now");
  });

  it("keeps what only looks like a mention as text", () => {
    expect(promptBlocks("ask @everybody", new Set(), "/x", [])).toEqual([{ type: "text", text: "ask @everybody" }]);
  });
});
