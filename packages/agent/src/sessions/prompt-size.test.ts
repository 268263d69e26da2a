// What every request begins with stays small: the system prompt and our tools, as a model gets them.
import { expect, it } from "vitest";
import { charactersPerToken } from "../loop/estimate.ts";
import { toModelTool } from "../loop/turn-loop.ts";
import { builtInTools } from "../tools/built-in-tools.ts";
import { systemPrompt } from "./system-prompt.ts";

it("needs at most 2,500 tokens, as we estimate them", () => {
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
  const tools = builtInTools().map(toModelTool);
  const sizes = tools.map((tool) => [tool.name, JSON.stringify(tool).length] as const);
  const characters = sizes.reduce((sum, [, size]) => sum + size, system.length);
  expect(characters / charactersPerToken, JSON.stringify(sizes)).toBeLessThanOrEqual(2500);
});

it("tells models no limits that they do not come near", () => {
  const schemas = JSON.stringify(builtInTools().map(toModelTool));
  expect(schemas).not.toMatch(/minLength|maxLength|minItems|9007199254740991/);
  expect(schemas).toContain('"maximum":600');
});
