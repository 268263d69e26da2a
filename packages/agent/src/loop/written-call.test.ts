import { describe, expect, it } from "vitest";
import { builtInTools } from "../tools/built-in-tools.ts";
import { findWrittenCall } from "./written-call.ts";

const find = (text: string) => findWrittenCall([{ type: "text", text }], builtInTools());

describe("a call that is written as text", () => {
  it.each([
    ['<tool_call>\n{"name": "bash", "arguments": {"command": "ls"}}\n</tool_call>', "bash"],
    ['<function_calls>\n<invoke name="read"><parameter name="path">a</parameter></invoke>\n</function_calls>', "read"],
    ['<invoke name="Bash"><parameter name="command">ls</parameter></invoke>', "bash"],
    ["<tool_call>\n<function=read>\n<parameter=path>a</parameter>\n</function>\n</tool_call>", "read"],
    ['[TOOL_CALLS][{"name": "grep", "arguments": {"pattern": "x"}}]', "grep"],
    ['```json\n{"name": "read_file", "arguments": {"path": "a"}}\n```', "read"],
  ])("is noticed: %s", (text, name) => expect(find(text)).toBe(name));

  it.each([
    "Use <tool_call> to call a tool.",
    'The format is:\n<tool_call>{"name": "bash"}</tool_call>',
    '{"name": "nobody", "arguments": {}}',
    '{"name": "bash", "version": 1}',
    '<tool_call>{"name": "bash"} is how some models call tools, and here is why that is a problem.',
  ])("is not any text about one: %s", (text) => expect(find(text)).toBeUndefined());
});
