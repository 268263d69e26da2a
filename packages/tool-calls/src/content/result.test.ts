import { describe, expect, it } from "vitest";
import { reportResult } from "./result.ts";

const text = (value: string) => ({ type: "content", content: { type: "text", text: value } });

describe("reportResult", () => {
  it.each([undefined, null, ""])("has nothing to show for %o", (result) => {
    expect(reportResult(result)).toEqual({});
  });

  it("shows text once", () => {
    expect(reportResult("done")).toEqual({ content: [text("done")] });
  });

  it("shows what an MCP server returned, and its structured part as raw output", () => {
    const image = { type: "image", data: "AAAA", mimeType: "image/png" };
    const result = { content: [{ type: "text", text: "a" }, image], structuredContent: { n: 1 } };
    expect(reportResult(result)).toEqual({
      content: [text("a"), { type: "content", content: image }],
      rawOutput: { n: 1 },
    });
  });

  it("takes `isError` of MCP as a failure in the server's words", () => {
    expect(reportResult({ content: [{ type: "text", text: "no such file" }], isError: true })).toEqual({
      content: [text("no such file")],
      failure: "no such file",
    });
    expect(reportResult({ content: [], isError: true }).failure).toMatch(/error/);
  });

  it("hands ACP content on: diffs, terminals, resources", () => {
    const diff = { type: "diff", path: "/f", oldText: null, newText: "b" };
    const terminal = { type: "terminal", terminalId: "t" };
    const resource = { type: "resource", resource: { uri: "file:///f", text: "x" } };
    const link = { type: "resource_link", uri: "file:///f", name: "f" };
    expect(reportResult([diff, terminal, resource, link]).content).toEqual([
      diff,
      terminal,
      { type: "content", content: resource },
      { type: "content", content: link },
    ]);
    expect(reportResult(diff).content).toEqual([diff]);
  });

  it("shows plain data as JSON, and keeps it as raw output", () => {
    expect(reportResult({ temperature: 3 })).toEqual({
      content: [text('{\n  "temperature": 3\n}')],
      rawOutput: { temperature: 3 },
    });
    expect(reportResult(7)).toEqual({ content: [text("7")], rawOutput: 7 });
  });

  it("takes content with a malformed block as plain data, because a client would refuse all of it", () => {
    const result = { content: [{ type: "text", text: "a" }, { type: "image" }] };
    expect(reportResult(result).rawOutput).toEqual(result);
  });
});
