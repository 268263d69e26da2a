// Names of MCP tools as models see them: `mcp__<server>__<tool>`, only of letters that every provider takes, unique, and short enough.
import { createHash } from "node:crypto";

/** What the strictest provider allows. */
const longest = 64;
const longestServer = 24;

export interface ServerTool {
  readonly server: string;
  readonly tool: string;
}

/** One name for each, in the same order. The same server and tool get the same name whatever else is there, unless two would be alike. */
export function mcpToolNames(tools: readonly ServerTool[]): readonly string[] {
  const plain = tools.map((tool) => nameOf(tool, false));
  const count = new Map<string, number>();
  for (const name of plain) count.set(name, (count.get(name) ?? 0) + 1);
  // Names that would be alike carry a mark of what they were made from.
  return plain.map((name, index) => {
    const tool = tools[index];
    return tool === undefined || count.get(name) === 1 ? name : nameOf(tool, true);
  });
}

function nameOf({ server, tool }: ServerTool, marked: boolean): string {
  const serverPart = safe(server).slice(0, longestServer) || "server";
  const toolPart = safe(tool) || "tool";
  const whole = `mcp__${serverPart}__${toolPart}`;
  if (!marked && whole.length <= longest && safe(server).length <= longestServer) return whole;
  const mark = createHash("sha256")
    .update(JSON.stringify([server, tool]))
    .digest("hex")
    .slice(0, 8);
  return `${whole.slice(0, longest - mark.length - 1)}_${mark}`;
}

/** A double underscore would look like the border between server and tool. */
function safe(text: string): string {
  return text
    .replace(/[^A-Za-z0-9_-]+/g, "_")
    .replace(/__+/g, "_")
    .replace(/^_+|_+$/g, "");
}
