// The `thinking` tool: a place to think before acting, shown to the person and nothing more.
import { createToolTitle, textContent } from "@signalbox/tool-calls";
import { z } from "zod";
import { said, tool } from "./tool.ts";

const description = `Writes down a thought. It reads nothing and changes nothing. Use it to weigh several ways, to work out why something failed, or to check a plan against what you have seen, before you act.`;

const input = z.object({ thought: z.string().min(1).describe("What you think") });

export const thinkingTool = tool<z.infer<typeof input>>({
  name: "thinking",
  kind: "think",
  description,
  input,
  readOnly: true,
  describe: () => ({ title: createToolTitle("thinking") }),
  execute: async ({ thought }) => ({ ...said("Noted."), display: [textContent(thought)] }),
});
