// Implements the `thinking` tool: it shows a thought to the person and does nothing else.
import { createToolTitle, textContent } from "@signalbox/tool-calls";
import { z } from "zod";
import { textResult, tool } from "./tool.ts";

const description = `Writes down a thought. It reads nothing and changes nothing. Use it to weigh several ways, to work out why something failed, or to check a plan against what you have seen, before you act.`;

const input = z.object({ thought: z.string().min(1).describe("What you think") });

export const thinkingTool = tool<z.infer<typeof input>>({
  name: "thinking",
  kind: "think",
  description,
  input,
  readOnly: true,
  describe: () => ({ title: createToolTitle("thinking") }),
  execute: async ({ thought }) => ({ ...textResult("Noted."), display: [textContent(thought)] }),
});
