// Loads in advance what the first prompt needs, while the person still types.
import { machineEnforcement } from "@signalbox/agent-kit";
import { toModelTool } from "../loop/turn-loop.ts";
import type { Tool } from "../tools/tool.ts";

export function warmUp(tools: readonly Tool[], sandboxOff: boolean): void {
  setImmediate(() => {
    for (const tool of tools) toModelTool(tool);
    // Every provider's requests use it. With the first one it would take 5 ms.
    process.getBuiltinModule("http");
    // How this machine can hold commands back; what it finds is remembered.
    machineEnforcement(sandboxOff).catch(() => {});
  });
}
