import { describe, expect, it } from "vitest";
import { promptContent } from "./prompt-content.ts";

describe("a prompt for Claude", () => {
  it("is the person's words first, then what is attached", () => {
    expect(
      promptContent([
        { type: "resource", resource: { uri: "file:///work/a.ts", text: "code" } },
        { type: "text", text: "Look at this" },
        { type: "image", mimeType: "image/png", data: "AA==" },
        { type: "resource_link", uri: "file:///work/b.ts", name: "b.ts" },
      ]),
    ).toEqual([
      { type: "text", text: "[@a.ts](file:///work/a.ts)" },
      { type: "text", text: "Look at this" },
      { type: "image", source: { type: "base64", media_type: "image/png", data: "AA==" } },
      { type: "text", text: "[@b.ts](file:///work/b.ts)" },
      { type: "text", text: '\n<context ref="file:///work/a.ts">\ncode\n</context>' },
    ]);
  });

  it("takes PDF files and images out of resources, and says what it leaves out", () => {
    const blob = (mimeType: string) => ({
      type: "resource" as const,
      resource: { uri: "file:///x", blob: "AA==", mimeType },
    });
    expect(promptContent([blob("application/pdf"), blob("image/webp"), blob("application/zip")])).toMatchObject([
      { type: "document", source: { media_type: "application/pdf" } },
      { type: "image", source: { media_type: "image/webp" } },
      { type: "text", text: expect.stringContaining("left out") as string },
    ]);
    expect(promptContent([{ type: "image", mimeType: "image/tiff", data: "AA==" }])).toMatchObject([{ type: "text" }]);
    expect(promptContent([{ type: "image", mimeType: "", data: "", uri: "https://x/y.png" }])).toMatchObject([
      { type: "image", source: { type: "url" } },
    ]);
    expect(promptContent([{ type: "audio", mimeType: "audio/wav", data: "" }])).toMatchObject([{ type: "text" }]);
  });

  it("calls prompts of MCP servers by the names that Claude Code knows", () => {
    expect(promptContent([{ type: "text", text: "/mcp:docs:find it" }])).toEqual([
      { type: "text", text: "/docs:find (MCP) it" },
    ]);
    expect(promptContent([{ type: "text", text: "/compact" }])).toEqual([{ type: "text", text: "/compact" }]);
  });
});
