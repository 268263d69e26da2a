// Implements the `task` tool: it gives a piece of work to a sub-agent.
import { z } from "zod";
import type { OtherNames } from "./other-names.ts";
import { failed, textResult, tool } from "./tool.ts";

const description = `Gives a task to a sub-agent and returns its final answer; what it reads does not fill your context. Use it for broad searches and independent parts, in parallel. It cannot see this conversation.`;

const input = z.object({
  title: z.string().min(1).describe("Three to six words"),
  prompt: z.string().min(1).describe("All it needs to know, and what to answer"),
  tools: z.enum(["read", "all"]).optional().describe("read: only look (default); all: also change things"),
});

/** Requests are its limit; this one is for what hangs. */
const maxMs = 2 * 3_600_000;

const otherNames: OtherNames = { description: "title", task: "prompt", subagenttype: null };

export const taskTool = tool<z.infer<typeof input>>({
  name: "task",
  kind: "think",
  description,
  input,
  otherNames,
  readOnly: true, // what the sub-agent does is asked about call by call
  outputLimit: 30_000,
  timeoutMs: () => maxMs,
  describe: ({ title }) => ({ title }),
  async execute({ prompt, tools = "read" }, { runSubAgent, signal }) {
    if (runSubAgent === undefined) return failed("A sub-agent cannot start another one. Do it yourself.");
    const { text, problem } = await runSubAgent({ prompt, readOnly: tools === "read", signal });
    if (problem !== undefined) return failed([problem, text].filter((part) => part !== "").join("\n\n"));
    return text === "" ? failed("It ended without an answer.") : textResult(text);
  },
});
