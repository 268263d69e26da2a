// The tools that only show or tell something, and what holds for all built-in tools.
import { describe, expect, it } from "vitest";
import { toJSONSchema } from "zod";
import { toModelTool } from "../loop/turn-loop.ts";
import { builtInTools } from "./built-in-tools.ts";
import { skillTool } from "./skill.ts";
import { testFolder, tryTool } from "./testing/try-tool.ts";
import { thinkingTool } from "./thinking.ts";
import { todoWriteTool } from "./todo-write.ts";

describe("thinking", () => {
  it("shows the thought to the person and costs the model nothing", async () => {
    await using folder = testFolder();
    const result = await tryTool(thinkingTool, folder.workspace, { thought: "first look, then leap" });
    expect(result).toMatchObject({
      text: "Noted.",
      display: [{ type: "content", content: { type: "text", text: "first look, then leap" } }],
    });
  });
});

describe("todo_write", () => {
  it("gives the plan that the client is to show", async () => {
    await using folder = testFolder();
    const todos = [
      { content: "look", status: "completed", priority: "high" },
      { content: "leap", status: "in_progress" },
    ];
    expect(await tryTool(todoWriteTool, folder.workspace, { todos })).toMatchObject({
      text: "The plan is shown: 2 steps, 1 not done yet.",
      plan: {
        entries: [
          { content: "look", status: "completed", priority: "high" },
          { content: "leap", status: "in_progress", priority: "medium" },
        ],
      },
    });
  });
});

describe("a plan with mistakes", () => {
  it("is shown without what is no step, and an unknown status is pending", async () => {
    await using folder = testFolder();
    const todos = [{ content: "A", status: "done" }, { content: "" }, "B", { content: "C", status: "completed" }];
    expect(await tryTool(todoWriteTool, folder.workspace, { todos })).toMatchObject({
      text: "The plan is shown: 2 steps, 1 not done yet.",
      plan: {
        entries: [
          { content: "A", status: "pending" },
          { content: "C", status: "completed" },
        ],
      },
    });
  });

  it("does not change what the model is told to send", () => {
    expect(toModelTool(todoWriteTool).inputSchema).toMatchObject({
      properties: { todos: { items: { properties: { status: { enum: ["pending", "in_progress", "completed"] } } } } },
    });
  });
});

describe("skill", () => {
  const skills = [{ name: "release", description: "How to release", read: async () => "1. Tag" }];

  it("lists the skills in its description and returns the one that is asked for", async () => {
    await using folder = testFolder();
    const tool = skillTool(skills);
    expect(tool.description).toContain("- release: How to release");
    expect((await tryTool(tool, folder.workspace, { name: "release" })).text).toBe("1. Tag");
    expect(await tryTool(tool, folder.workspace, { name: "none" })).toMatchObject({
      isError: true,
      text: expect.stringContaining("release"),
    });
  });
});

describe("a skill that is gone meanwhile", () => {
  it("is a failure the model hears of", async () => {
    await using folder = testFolder();
    const tool = skillTool([{ name: "x", description: "y", read: () => Promise.reject(new Error("no such file")) }]);
    expect(await tryTool(tool, folder.workspace, { name: "x" })).toMatchObject({
      isError: true,
      text: "The skill x cannot be read: no such file",
    });
  });
});

describe("the built-in tools", () => {
  const tools = builtInTools({
    webSearch: { engine: "searxng", url: "http://localhost" },
    skills: [{ name: "x", description: "y", read: async () => "" }],
  });

  it("are the ones that are promised", () => {
    expect(tools.map(({ name, kind }) => `${name}: ${kind}`)).toEqual([
      "bash: execute",
      "bash_output: read",
      "bash_kill: execute",
      "read: read",
      "write: edit",
      "edit: edit",
      "apply_patch: edit",
      "list_directory: read",
      "grep: search",
      "find_path: search",
      "fetch: fetch",
      "web_search: fetch",
      "thinking: think",
      "todo_write: think",
      "task: think",
      "skill: read",
    ]);
  });

  it("say which of them change nothing", () => {
    const changing = tools.filter(({ readOnly }) => !readOnly).map(({ name }) => name);
    expect(changing).toEqual(["bash", "write", "edit", "apply_patch", "fetch", "web_search"]);
  });

  it("bound what the model gets", () => {
    const limits = Object.fromEntries(tools.map(({ name, outputLimit }) => [name, outputLimit]));
    expect(limits).toMatchObject({ bash: 30_000, bash_output: 30_000, read: 50_000, grep: 30_000, fetch: 50_000 });
  });

  it.each(tools.map((tool) => [tool.name, tool] as const))("%s tells the model its shape", (_name, tool) => {
    const schema = toJSONSchema(tool.input);
    expect(schema).toMatchObject({ type: "object" });
    expect(tool.description.length).toBeGreaterThan(50);
  });
});
