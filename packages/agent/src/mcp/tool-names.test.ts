import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mcpToolNames } from "./tool-names.ts";

const nameOf = (server: string, tool: string) => mcpToolNames([{ server, tool }])[0];

describe("the name of an MCP tool", () => {
  it("says server and tool", () => {
    expect(nameOf("github", "create_issue")).toBe("mcp__github__create_issue");
    expect(nameOf("file-system", "readFile")).toBe("mcp__file-system__readFile");
  });

  it("has only letters that providers take, and one border", () => {
    expect(nameOf("my server/2", "a.b c")).toBe("mcp__my_server_2__a_b_c");
    expect(nameOf("__x__y__", "__z__")).toBe("mcp__x_y__z");
    expect(nameOf("日本", "語")).toBe("mcp__server__tool");
  });

  it("keeps tools apart that would be alike, whatever their order", () => {
    const tools = [
      { server: "s", tool: "a.b" },
      { server: "s", tool: "a b" },
      { server: "s", tool: "c" },
    ];
    const names = mcpToolNames(tools);
    expect(new Set(names).size).toBe(3);
    expect(names[2]).toBe("mcp__s__c");
    expect(mcpToolNames(tools.toReversed()).toReversed()).toEqual(names);
  });

  it("is always safe, short and unique", () => {
    const part = fc.oneof(
      fc.string({ minLength: 1, maxLength: 80 }),
      fc.string({ minLength: 60, maxLength: 80, unit: fc.constantFrom("a", "b") }),
    );
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.record({ server: part, tool: part }), {
          selector: ({ server, tool }) => JSON.stringify([server, tool]),
        }),
        (tools) => {
          const names = mcpToolNames(tools);
          for (const name of names) expect(name).toMatch(/^mcp__[A-Za-z0-9_-]{1,59}$/);
          expect(new Set(names).size).toBe(tools.length);
        },
      ),
    );
  });
});
