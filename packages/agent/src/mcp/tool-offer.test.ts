// Which tools of MCP servers requests list, and how the others are found.
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { textResult } from "../tools/tool.ts";
import type { McpServerStatus, McpTool } from "./mcp-session.ts";
import { ToolOffer } from "./tool-offer.ts";
import { callTool, searchTools } from "./tool-search.ts";

function makeTool(server: string, nameOnServer: string, description = `Does ${nameOnServer}`): McpTool {
  return {
    name: `mcp__${server}__${nameOnServer}`,
    server,
    nameOnServer,
    kind: "other",
    description,
    input: z.record(z.string(), z.unknown()),
    inputSchema: { type: "object", properties: { path: {} } },
    readOnly: false,
    describe: () => ({ title: nameOnServer }),
    execute: async () => textResult("done"),
  };
}

const server = (name: string, state: McpServerStatus["state"]) =>
  ({ name, state, instructions: state === "running" ? `Use ${name} well.` : undefined }) as McpServerStatus;

function makeServers(count: number) {
  const started = Promise.withResolvers<void>();
  return {
    tools: Array.from({ length: count }, (_, index) => makeTool("one", `tool_${index}`)) as readonly McpTool[],
    servers: [server("one", "running")] as readonly McpServerStatus[],
    ready: started.promise,
    start: started.resolve,
  };
}

const listed = (offer: ToolOffer) =>
  offer.tools.filter(({ isUnlisted }) => isUnlisted !== true).map(({ name }) => name);
const asJson = (offer: ToolOffer) =>
  JSON.stringify([
    offer.instructions,
    offer.tools
      .filter(({ isUnlisted }) => isUnlisted !== true)
      .map(({ name, description, inputSchema }) => [name, description, inputSchema]),
  ]);
const context = (progress: (message?: string) => void = () => {}) =>
  ({
    signal: AbortSignal.timeout(10_000),
    onProgress: (_done: number, _total?: number, message?: string) => progress(message),
  }) as never;

describe("the tools that requests list", () => {
  it("are all, where there are few; new ones are added, and one that is gone stays", () => {
    const mcp = makeServers(3);
    const offer = new ToolOffer(mcp);
    offer.fix();
    expect(listed(offer)).toEqual(["mcp__one__tool_0", "mcp__one__tool_1", "mcp__one__tool_2"]);
    const [first, ...rest] = mcp.tools;
    mcp.tools = [...rest, makeTool("one", "new")];
    expect(listed(offer)).toEqual(["mcp__one__tool_0", "mcp__one__tool_1", "mcp__one__tool_2", "mcp__one__new"]);
    expect(first?.name).toBe("mcp__one__tool_0");
  });

  it.each([
    ["many tools", makeServers(41)],
    ["long ones", { ...makeServers(0), tools: [makeTool("one", "tool_7", "long ".repeat(10_000))] }],
  ])("are a search where there are %s, with their names", async (_what, mcp) => {
    const offer = new ToolOffer(mcp);
    offer.fix();
    expect(listed(offer)).toEqual(["find_tools", "call_tool"]);
    expect(offer.tools).toHaveLength(mcp.tools.length + 2);
    const find = offer.tools[0];
    expect(find?.description).toMatch(/\none: (tool_0, tool_1, .*)?tool_7/);
    const found = await find?.execute({ query: "tool_7" }, context());
    expect(found?.content[0]).toMatchObject({
      text: expect.stringMatching(/^mcp__one__tool_7: [^]*input: \{"type":"object"/),
    });
  });

  it("stay byte for byte when a slow server comes, and the search waits for it visibly", async () => {
    const mcp = makeServers(2);
    mcp.servers = [server("one", "running"), server("slow", "starting")];
    const offer = new ToolOffer(mcp);
    offer.fix();
    const before = asJson(offer);
    expect(listed(offer)).toEqual(["mcp__one__tool_0", "mcp__one__tool_1", "find_tools", "call_tool"]);
    const messages: (string | undefined)[] = [];
    const find = offer.tools.find(({ name }) => name === "find_tools");
    // What is there is found without waiting.
    mcp.tools = [...mcp.tools, makeTool("one", "sooner")];
    expect((await find?.execute({ query: "sooner" }, context()))?.content[0]).toMatchObject({
      text: expect.stringMatching(/^mcp__one__sooner: [^]*\n\nStill starting: slow\. Search again later/),
    });
    mcp.tools = mcp.tools.slice(0, -1);
    const found = find?.execute(
      { query: "late work" },
      context((message) => messages.push(message)),
    );
    await expect.poll(() => messages).toEqual(["waiting for slow: 0 s"]);
    mcp.servers = [server("one", "running"), server("slow", "running")];
    mcp.tools = [...mcp.tools, makeTool("slow", "late_work")];
    mcp.start();
    const text = { text: expect.stringContaining("About the tools of slow:\nUse slow well.") };
    expect((await found)?.content[0]).toMatchObject(text);
    expect((await find?.execute({ query: "late" }, context()))?.content[0]).not.toMatchObject(text);
    // The next prompt.
    offer.fix();
    expect(asJson(offer)).toBe(before);
    // A compaction voids the provider's cache anyway.
    offer.release();
    offer.fix();
    expect(listed(offer)).toEqual(["mcp__one__tool_0", "mcp__one__tool_1", "mcp__slow__late_work"]);
  });
});

describe("the search for tools", () => {
  const tools = [
    makeTool("github", "create_issue", "Opens a ticket in a repository"),
    makeTool("github", "listIssues", "Lists tickets"),
    makeTool("files", "read_file", "Reads a file"),
  ];

  it.each([
    ["issue", ["create_issue", "listIssues"]],
    ["list the issues", ["listIssues", "create_issue"]],
    ["ticket", ["create_issue", "listIssues"]],
    ["mcp__files__read_file", ["read_file"]],
    ["path", ["read_file", "create_issue", "listIssues"]],
    ["zebra", []],
    ["", []],
  ])("%j", (query, names) => {
    expect(searchTools(tools, query).map(({ nameOnServer }) => nameOnServer)).toEqual(names);
  });
});

describe("call_tool", () => {
  it.each([
    [
      { name: "a", arguments: { x: 1 } },
      { name: "a", input: { x: 1 } },
    ],
    [
      { name: "a", arguments: '{"x": 1}' },
      { name: "a", input: { x: 1 } },
    ],
    [{ name: "a" }, { name: "a", input: {} }],
    [{ arguments: {} }, { name: "", input: {} }],
    [null, { name: "", input: {} }],
  ])("%j", (input, meant) => {
    expect(callTool.resolveTarget?.(input)).toEqual(meant);
  });
});
