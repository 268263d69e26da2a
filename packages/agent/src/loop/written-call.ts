// Notices an answer that is a tool call written as text. Servers of local models give such answers where their template or tool parser does not fit
// the model. Nothing was called, so the turn must not end as if all were done.
import type { AssistantPart } from "../providers/model.ts";
import type { Tool } from "../tools/tool.ts";
import { findTool } from "./find-tool.ts";

/** The whole answer is one of these, with the name of the tool. A call that an answer only quotes is text. */
const writtenCalls: readonly RegExp[] = [
  /^<tool_call>\s*\{\s*"name"\s*:\s*"([\w.:-]+)"/,
  /^<\|?tool_call\|?>\s*(?:call:)?([\w.:-]+)\s*[({]/,
  /^(?:<(?:antml:)?function_calls>\s*)?<(?:antml:)?invoke name="([\w.:-]+)"/,
  /^(?:<tool_call>\s*)?<function=([\w.:-]+)>/,
  /^\[TOOL_CALLS\]\s*\[?\s*(?:\{\s*"name"\s*:\s*")?([\w.:-]+)/,
  /^(?:```[a-z]*\s*)?\{\s*"(?:name|tool)"\s*:\s*"([\w.:-]+)"\s*,\s*"(?:arguments|parameters|input)"\s*:/,
];

/** Returns the name of the tool that an answer of nothing but text pretends to call. */
export function findWrittenCall(message: readonly AssistantPart[], tools: readonly Tool[]): string | undefined {
  if (message.some(({ type }) => type === "tool_call")) return undefined;
  const text = message
    .map((part) => (part.type === "text" ? part.text : ""))
    .join("")
    .trim();
  const name = writtenCalls.map((pattern) => pattern.exec(text)?.[1]).find((found) => found !== undefined);
  return name !== undefined && /[>}\])`]$/.test(text) ? findTool(tools, name)?.name : undefined;
}

export function tellToCall(name: string): string {
  return `Nothing was run: you wrote a call of ${name} as text. Call the tool with your tool-calling format; do not write the call as text.`;
}

export function explainWrittenCalls(model: string): string {
  return `${model} writes its tool calls as text, so nothing can be run. The tool parser or the chat template of the server does not fit this model: for vLLM see --tool-call-parser, for llama.cpp --jinja, for Ollama the template of the model.`;
}
