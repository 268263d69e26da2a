// Implements the `todo_write` tool: it shows the person a plan.
import { createToolTitle, planFromTodos } from "@signalbox/tool-calls";
import { z } from "zod";
import { tool } from "./tool.ts";

const description = `Shows the person your plan; each call replaces the whole list. For work of three steps or more: write the steps first, set one to in_progress when you begin it, and to completed as soon as it is done.`;

/** The form that the model is told to send. */
const wanted = z.object({
  todos: z.array(
    z.object({
      content: z.string().min(1).describe("A few words"),
      status: z.enum(["pending", "in_progress", "completed"]),
      priority: z.enum(["high", "medium", "low"]).optional(),
    }),
  ),
});

/** One bad entry must not cost the plan: an unknown status is read as pending, and what is no step is left out. */
const input = z.preprocess((sent) => {
  const plan = planFromTodos(sent);
  return plan === undefined ? sent : { todos: plan.entries };
}, wanted);

export const todoWriteTool = tool<z.infer<typeof input>>({
  name: "todo_write",
  kind: "think",
  description,
  input,
  readOnly: true, // it changes only what is shown
  describe: () => ({ title: createToolTitle("todo_write") }),
  async execute(call) {
    const plan = planFromTodos(call) ?? { entries: [] };
    const left = plan.entries.filter(({ status }) => status !== "completed").length;
    const text = `The plan is shown: ${plan.entries.length} steps, ${left} not done yet.`;
    return { content: [{ type: "text", text }], plan };
  },
});
