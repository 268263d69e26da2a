// Serves our tools to Claude Code as an MCP server in this process. Each call is shown while it runs; an error becomes a message for the model.
import { messageOf, type ToolCallChange } from "@signalbox/tool-calls";
import { readFields, readText } from "../sdk/json.ts";
import type { SdkTool, SdkToolResult } from "../sdk/sdk.ts";
import type { ClientTool, ToolAnswer } from "./tool.ts";

/** The calls as the client sees them. */
export interface ShownCalls {
  start(toolUseId: string): void;
  show(toolUseId: string, change: ToolCallChange): void;
}

/** `stop` aborts when the turn is cancelled. */
export function sdkTools(tools: readonly ClientTool[], calls: ShownCalls, stop: () => AbortSignal): SdkTool[] {
  return tools.map((tool) => ({
    name: tool.name,
    description: tool.description,
    inputSchema: { ...tool.input },
    annotations: { readOnlyHint: tool.isReadOnly },
    handler: async (input, extra) => {
      const { signal, _meta } = readFields(extra);
      const toolUseId = readText(readFields(_meta)["claudecode/toolUseId"]) ?? "";
      const signals = [stop(), ...(signal instanceof AbortSignal ? [signal] : [])];
      calls.start(toolUseId);
      const show = (change: ToolCallChange) => calls.show(toolUseId, change);
      try {
        return answer(await tool.run(input, { signal: AbortSignal.any(signals), show }));
      } catch (error) {
        return { ...answer(messageOf(error)), isError: true };
      }
    },
  }));
}

function answer(given: ToolAnswer): SdkToolResult {
  return { content: typeof given === "string" ? [{ type: "text", text: given }] : [...given] };
}
