// Our tools as a model is told of them.
import { z } from "zod";
import type { ModelTool } from "../providers/model.ts";
import type { Tool } from "../tools/tool.ts";

/** The schema of a tool never changes; making it from zod is worth doing once. */
const known = new WeakMap<Tool, ModelTool>();

export function toModelTool(tool: Tool): ModelTool {
  const before = known.get(tool);
  if (before !== undefined) return before;
  const { name, description } = tool;
  const made = { name, description, inputSchema: tool.inputSchema ?? schemaOf(tool) };
  known.set(tool, made);
  return made;
}

function schemaOf({ input }: Tool): object {
  const { $schema: _, ...schema } = z.toJSONSchema(input, { io: "input" });
  return schema;
}
