// A tool of an MCP server as a tool of ours. What the server says about it is a claim: it is never taken for read-only.

import { ToolFailure } from "@signalbox/agent-kit";
import { createToolTitle, errorText, inferToolKind, locationsOf } from "@signalbox/tool-calls";
import { z } from "zod";
import { failed, type Tool, tool } from "../tools/tool.ts";
import type { ListedTool } from "./listed-tool.ts";
import type { ManagedServer } from "./managed-server.ts";
import { resultOfServer } from "./server-result.ts";

const input = z.record(z.string(), z.unknown());

export function mcpTool(name: string, server: ManagedServer, listed: ListedTool): Tool<Record<string, unknown>> {
  return tool({
    name,
    kind: inferToolKind(name),
    description: listed.description,
    input,
    inputSchema: listed.inputSchema,
    readOnly: false,
    describe: (args, cwd) => {
      const locations = locationsOf(args, cwd);
      return { title: createToolTitle(name), ...(locations.length === 0 ? {} : { locations }) };
    },
    async execute(args, context) {
      try {
        return resultOfServer(await server.call(listed.name, args, context));
      } catch (error) {
        context.signal.throwIfAborted();
        if (error instanceof ToolFailure) throw error;
        return failed(`${server.config.name}/${listed.name} failed: ${errorText(error)}`);
      }
    },
  });
}
