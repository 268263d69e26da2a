// Implements the `thinking` tool: it shows a thought to the person and does nothing else.
import { createToolTitle, textContent } from "@signalbox/tool-calls";
import { z } from "zod";
import { textResult, tool } from "./tool.ts";

const description = `Writes down a thought; changes nothing. Use it before you act on something difficult.`;

const input = z.object({ thought: z.string().min(1).describe("The thought") });

export const thinkingTool = tool<z.infer<typeof input>>({
  name: "thinking",
  kind: "think",
  description,
  input,
  readOnly: true,
  describe: () => ({ title: createToolTitle("thinking") }),
  execute: async ({ thought }) => ({ ...textResult("Noted."), display: [textContent(thought)] }),
});
