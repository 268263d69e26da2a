// Splits a tool's name into its words, and shows an MCP name as a person reads it.
import { parseMcpToolName } from "@signalbox/rules";

const maxNameLength = 200;

/** The names of tools and arguments come again and again; a model that invents ever new ones must not fill the memory. */
const maxRemembered = 1000;
const remembered = new Map<string, readonly string[]>();

/** Lower-case words of a name, split at `_ - . / :`, spaces and camelCase: `readFile`, `READ_FILE` and `read-file` are the same. */
export function listWords(name: string): readonly string[] {
  const known = remembered.get(name);
  if (known !== undefined) return known;
  const words = splitName(name);
  if (remembered.size >= maxRemembered) remembered.clear();
  if (name.length <= maxNameLength) remembered.set(name, words);
  return words;
}

function splitName(name: string): string[] {
  return name
    .slice(0, maxNameLength)
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replace(/([A-Z]+)([A-Z][a-z])/g, "$1 $2")
    .toLowerCase()
    .split(/[_\-./:\s]+/)
    .filter((word) => word !== "");
}

/** The name as a person reads it: `server/tool` for an MCP tool. */
export function displayName(name: string): string {
  const mcp = parseMcpToolName(name);
  return mcp === undefined ? name : `${mcp.server}/${mcp.tool}`;
}
