// Finds the tool that a model means. Some models write the name of a tool in another case.
import type { Tool } from "../tools/tool.ts";

export function findTool(tools: readonly Tool[], name: string): Tool | undefined {
  const exact = tools.find((tool) => tool.name === name);
  if (exact !== undefined) return exact;
  const [alike, another] = tools.filter((tool) => tool.name.toLowerCase() === name.toLowerCase());
  return another === undefined ? alike : undefined;
}
