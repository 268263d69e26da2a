// What every request begins with stays small: the system prompt and our tools, as a model gets them.
import { expect, it } from "vitest";
import { charactersPerToken } from "../loop/estimate.ts";
import { toModelTool } from "../loop/turn-loop.ts";
import { builtInTools } from "../tools/built-in-tools.ts";
import { chooseTools } from "./run-prompt.ts";
import { systemPrompt } from "./system-prompt.ts";

const system = systemPrompt({
  sessionId: "a-session",
  cwd: "/home/someone/projects/an-application",
  roots: ["/home/someone/projects/an-application"],
  mode: "sandbox",
  git: "Repository: on main, 3 files changed",
  userInstructions: "",
  projectInstructions: "",
  servers: [],
});

const thinkingLevels = ["low", "high"] as const;

it.each([
  ["claude-sonnet-4-5", { thinkingLevels }, 2000],
  ["gpt-5.5", { thinkingLevels }, 2000],
  // A model that does not think by itself gets a tool for it.
  ["qwen3-coder", {}, 2060],
])("needs few tokens for %s, as we estimate them", (name, facts, limit) => {
  const tools = chooseTools({ name, facts }, "sandbox", builtInTools()).map(toModelTool);
  const sizes = tools.map((tool) => [tool.name, JSON.stringify(tool).length] as const);
  const characters = sizes.reduce((sum, [, size]) => sum + size, system.length);
  expect(characters / charactersPerToken, JSON.stringify([system.length, ...sizes])).toBeLessThanOrEqual(limit);
});

it("describes every parameter", () => {
  for (const tool of builtInTools().map(toModelTool)) {
    const { properties } = tool.inputSchema as { properties: Record<string, { description?: string; type: string }> };
    const bare = Object.entries(properties).filter(
      ([, { description, type }]) => description === undefined && type !== "object" && type !== "array",
    );
    expect(bare.map(([name]) => `${tool.name}.${name}`)).toEqual([]);
  }
});

it("tells models no limits that they do not come near", () => {
  const schemas = JSON.stringify(builtInTools().map(toModelTool));
  expect(schemas).not.toMatch(/minLength|maxLength|minItems|9007199254740991/);
  expect(schemas).toContain('"maximum":600');
});
