import { isUsedTool, unknownNames } from "@signalbox/agent-kit";
import { describe, expect, it } from "vitest";
import { badServer, testSession } from "./testing/mcp-session.ts";

describe("the tools of a server that are used", () => {
  it.each([
    [undefined, [], "anything", true],
    [[], [], "anything", false],
    [["read"], [], "read", true],
    [["read"], [], "reads", false],
    [["get_*"], [], "get_issue", true],
    [["*_issue"], [], "get_issue", true],
    [["*a*b*"], [], "xaxbx", true],
    [["*a*b*"], [], "xbxax", false],
    [["a*a"], [], "a", false],
    [undefined, ["delete_*"], "delete_repo", false],
    [["*"], ["delete_*"], "delete_repo", false],
  ])("include %j, exclude %j: %s is %s", (include, exclude, name, isUsed) => {
    expect(isUsedTool({ include, exclude }, name)).toBe(isUsed);
  });

  it("takes no time for a pattern made to take long", () => {
    expect(isUsedTool({ include: [`${"*a".repeat(2000)}b`], exclude: [] }, "a".repeat(500))).toBe(false);
  });

  it("tells names that no tool has", () => {
    expect(unknownNames({ include: ["a", "b", "c*"], exclude: ["d"] }, ["a"])).toEqual(["b", "d"]);
  });

  it("are all that the model gets, and the person learns which are left out", async () => {
    const filter = { include: ["tool_*", "gone"], exclude: ["tool_3"] };
    await using test = await testSession(() => [{ ...badServer("pages"), filter }]);
    expect(test.session.tools.map(({ name }) => name)).toEqual([0, 1, 2, 4].map((page) => `mcp__bad__tool_${page}`));
    expect(test.session.servers).toMatchObject([{ tools: 4, leftOut: ["tool_3"] }]);
    expect(test.notices).toEqual(["The MCP server bad has no tool gone."]);
  });
});
