// Names MCP tools for models: `mcp__<server>__<tool>`, unique, short, and only with letters that every provider accepts.
import { createHash } from "node:crypto";

/** The limit of the strictest provider. */
const maxLength = 64;
const maxServerLength = 24;

interface ServerTool {
  readonly server: string;
  readonly tool: string;
}

/** One name for each, in the same order. A name does not depend on the other tools, unless two would be equal. */
export function mcpToolNames(tools: readonly ServerTool[]): readonly string[] {
  const plain = tools.map((tool) => buildName(tool, false));
  const count = new Map<string, number>();
  for (const name of plain) count.set(name, (count.get(name) ?? 0) + 1);
  // Names that would be equal get a hash of server and tool.
  return plain.map((name, index) => {
    const tool = tools[index];
    return tool === undefined || count.get(name) === 1 ? name : buildName(tool, true);
  });
}

function buildName({ server, tool }: ServerTool, withHash: boolean): string {
  const serverPart = safe(server).slice(0, maxServerLength) || "server";
  const toolPart = safe(tool) || "tool";
  const whole = `mcp__${serverPart}__${toolPart}`;
  if (!withHash && whole.length <= maxLength && safe(server).length <= maxServerLength) return whole;
  const hash = createHash("sha256")
    .update(JSON.stringify([server, tool]))
    .digest("hex")
    .slice(0, 8);
  return `${whole.slice(0, maxLength - hash.length - 1)}_${hash}`;
}

/** A double underscore separates server and tool. */
function safe(text: string): string {
  return text
    .replace(/[^A-Za-z0-9_-]+/g, "_")
    .replace(/__+/g, "_")
    .replace(/^_+|_+$/g, "");
}
