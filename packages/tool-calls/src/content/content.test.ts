import type { ToolCallContent } from "@agentclientprotocol/sdk";
import { describe, expect, it } from "vitest";
import {
  boundContent,
  diffContent,
  imageContent,
  resourceContent,
  resourceLinkContent,
  terminalContent,
  textContent,
} from "./content.ts";

describe("content", () => {
  it("is what ACP spells", () => {
    const all: ToolCallContent[] = [
      textContent("a"),
      imageContent("AAAA", "image/png"),
      resourceContent("file:///f", "x", "text/plain"),
      resourceLinkContent("file:///f", "f"),
      terminalContent("t"),
    ];
    expect(all).toEqual([
      { type: "content", content: { type: "text", text: "a" } },
      { type: "content", content: { type: "image", data: "AAAA", mimeType: "image/png" } },
      {
        type: "content",
        content: { type: "resource", resource: { uri: "file:///f", text: "x", mimeType: "text/plain" } },
      },
      { type: "content", content: { type: "resource_link", uri: "file:///f", name: "f" } },
      { type: "terminal", terminalId: "t" },
    ]);
  });
});

describe("boundContent", () => {
  it("leaves what fits", () => {
    const content = [textContent("abc"), terminalContent("t")];
    expect(boundContent(content, 3)).toEqual(content);
  });

  it("truncates text and says so", () => {
    expect(boundContent([textContent("abcdef"), textContent("gh")], 4)).toEqual([
      textContent("abcd\n[output truncated]"),
      textContent("\n[output truncated]"),
    ]);
  });

  it("replaces what cannot be truncated", () => {
    expect(boundContent([imageContent("A".repeat(10), "image/png")], 4)).toEqual([
      textContent("[image of 10 characters is too long to send]"),
    ]);
    expect(boundContent([diffContent("/f", "aaa", "bbb")], 4)).toEqual([
      textContent("[diff of 6 characters is too long to send]"),
    ]);
  });
});
