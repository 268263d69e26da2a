// Implements the `todo_write` tool: it shows the person a plan.
import { createToolTitle, planFromTodos } from "@signalbox/tool-calls";
import { z } from "zod";
import { tool } from "./tool.ts";

const description = `Shows the user your plan, for work of three or more steps; each call replaces the list. Set a step to in_progress when you begin it, to completed when it is done.`;

/** The form that the model is told to send. */
const wanted = z.object({
  todos: z.array(
    // A priority is taken as well, but models need not be told.
    z.looseObject({
      content: z.string().min(1).describe("The step, in a few words"),
      status: z.enum(["pending", "in_progress", "completed"]),
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
