// Finds tools that requests do not list, by words, and calls them: `find_tools` gives their schemas as text, `call_tool` passes a call on.

import { untilAborted } from "@signalbox/tool-calls";
import { z } from "zod";
import { type Tool, textResult, tool } from "../tools/tool.ts";
import type { McpTool } from "./mcp-session.ts";

/** The tools that a search covers. */
interface ToolSource {
  /** The tools that requests do not list. */
  readonly tools: () => readonly McpTool[];
  /** Names of servers that still start. */
  readonly starting: () => readonly string[];
  /** Resolves when every server has answered or failed; never rejects. */
  readonly ready: Promise<void>;
  /** Returns these servers' instructions that the model has not read yet. */
  readonly instructionsOf: (
    servers: readonly string[],
  ) => readonly { readonly name: string; readonly instructions: string }[];
}

const maxFound = 8;
const outputLimit = 30_000;
const stepMs = 1000;

const findInput = z.object({
  query: z.string().describe("Words of names and descriptions, or exact names"),
});

export function findTools(description: string, source: ToolSource): Tool<z.infer<typeof findInput>> {
  return tool({
    name: "find_tools",
    kind: "search",
    description,
    input: findInput,
    readOnly: true,
    outputLimit,
    // A server may have come meanwhile.
    repeatable: true,
    describe: ({ query }) => ({ title: `Find tools: ${query.slice(0, 80)}` }),
    async execute({ query }, { signal, onProgress }) {
      // A match is returned immediately, without waiting for a server that may never start.
      if (searchTools(source.tools(), query).length === 0) await waitVisibly(source, signal, onProgress);
      const found = searchTools(source.tools(), query);
      if (found.length === 0) return textResult("No tool fits. Try other words.");
      const missing = source.starting().join(", ");
      const about = source.instructionsOf(found.map(({ server }) => server));
      const words = about.map(({ name, instructions }) => `About the tools of ${name}:\n${instructions}`);
      const later =
        missing === "" ? [] : [`Still starting: ${missing}. Search again later if none of these tools fits.`];
      return textResult([...found.map(describeTool), ...words, ...later].join("\n\n"));
    },
  });
}

const callInput = z.object({
  name: z.string().describe("As find_tools gave it"),
  arguments: z.record(z.string(), z.unknown()).optional(),
});

/** Never runs itself: the executor runs the target tool, with that tool's own permission. */
export const callTool: Tool<z.infer<typeof callInput>> = {
  name: "call_tool",
  kind: "other",
  description: "Calls a tool that find_tools found.",
  input: callInput,
  readOnly: false,
  resolveTarget: (input) => {
    const { name, arguments: args } = typeof input === "object" && input !== null ? (input as Fields) : {};
    return { name: typeof name === "string" ? name : "", input: parsed(args) ?? {} };
  },
  describe: () => ({ title: "call_tool" }),
  execute: () => Promise.reject(new Error("call_tool is passed on, and does not run itself")),
};

type Fields = Readonly<Record<string, unknown>>;

/** Some models write an object as a text. */
function parsed(args: unknown): unknown {
  if (typeof args !== "string") return args;
  try {
    return JSON.parse(args);
  } catch {
    return args;
  }
}

/** The best first. A word in a name counts more than one in a description; an exact name comes first. */
export function searchTools(tools: readonly McpTool[], query: string): readonly McpTool[] {
  const words = splitText(query);
  return tools
    .map((each) => ({ tool: each, score: scoreTool(each, query, words) }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score || (a.tool.name < b.tool.name ? -1 : 1))
    .slice(0, maxFound)
    .map(({ tool: found }) => found);
}

function scoreTool({ name, description, inputSchema }: Tool, query: string, words: readonly string[]): number {
  const asked = query.split(/[\s,]+/);
  if (asked.includes(name)) return 1000;
  const inName = new Set(splitText(name));
  const about = description.toLowerCase();
  const schema = JSON.stringify(inputSchema ?? {}).toLowerCase();
  const scores = words.map((word): number => {
    if (inName.has(word)) return 10;
    if (name.toLowerCase().includes(word)) return 6;
    if (about.includes(word)) return 2;
    return schema.includes(word) ? 1 : 0;
  });
  return scores.reduce((sum, score) => sum + score, 0);
}

/** `createIssue` and `create_issues` are the same two words. */
function splitText(text: string): readonly string[] {
  const split = text.replace(/([a-z0-9])([A-Z])/g, "$1 $2").toLowerCase();
  const words = split.split(/[^\p{L}\p{N}]+/u).filter((word) => /^(?:\d+|..+)$/u.test(word) && word !== "mcp");
  return [...new Set(words.map((word) => (word.length > 3 ? word.replace(/s$/, "") : word)))];
}

function describeTool({ name, description, inputSchema }: Tool): string {
  return `${name}: ${description}\ninput: ${JSON.stringify(inputSchema ?? {})}`;
}

async function waitVisibly(
  source: ToolSource,
  signal: AbortSignal,
  onProgress: (progress: number, total?: number, message?: string) => void,
): Promise<void> {
  if (source.starting().length === 0) return;
  const since = performance.now();
  const show = () => {
    const seconds = Math.round((performance.now() - since) / 1000);
    onProgress(seconds, undefined, `waiting for ${source.starting().join(", ")}: ${seconds} s`);
  };
  show();
  const timer = setInterval(show, stepMs);
  try {
    await untilAborted(source.ready, signal);
  } finally {
    clearInterval(timer);
  }
}
