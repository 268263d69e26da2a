// Makes tools of ours from what an MCP server has: one for each of its tools, and one that lists and reads its resources.
import { isUsedTool, ToolFailure } from "@signalbox/agent-kit";
import { createToolTitle, findLocations, inferToolKind, messageOf } from "@signalbox/tool-calls";
import { z } from "zod";
import { failed, type Tool, textResult, tool } from "../tools/tool.ts";
import type { ListedTool } from "./listed-tool.ts";
import type { ManagedServer } from "./managed-server.ts";
import type { McpTool } from "./mcp-session.ts";
import { maxUriLength, readContents, resourceList } from "./resources.ts";
import { resultOfServer } from "./server-result.ts";
import { mcpToolNames } from "./tool-names.ts";
import { withServerNames } from "./usable-schema.ts";

const anyInput = z.record(z.string(), z.unknown());
/** Characters. More than that would push the conversation itself out of the model's window. */
const outputLimit = 100_000;

/** The tools of all servers under unique names. */
export function serverTools(servers: readonly ManagedServer[]): readonly McpTool[] {
  const all = servers.flatMap((server) => {
    const listed = server.tools.map((each) => ({
      server: server.config.name,
      tool: each.name,
      make: mcpTool(server, each),
    }));
    const resources = resourceToolName(server);
    if (resources === undefined) return listed;
    return [...listed, { server: server.config.name, tool: resources, make: resourceTool(server) }];
  });
  const names = mcpToolNames(all);
  return all.map(({ make, server, tool: nameOnServer }, index) => ({
    ...make(names[index] ?? nameOnServer),
    server,
    nameOnServer,
  }));
}

/** A tool of an MCP server as a tool of ours. A server's claim that a tool only reads is not trusted. */
function mcpTool(server: ManagedServer, listed: ListedTool) {
  return (name: string): Tool<Record<string, unknown>> =>
    tool({
      name,
      kind: inferToolKind(name),
      description: listed.description,
      input: anyInput,
      inputSchema: listed.inputSchema,
      readOnly: false,
      outputLimit,
      keepsBothEnds: true,
      describe: (args, cwd) => {
        const locations = findLocations(args, cwd);
        return { title: createToolTitle(name), ...(locations.length === 0 ? {} : { locations }) };
      },
      execute: (args, context) =>
        explained(`${server.config.name}/${listed.name}`, context.signal, async () =>
          resultOfServer(await server.call(listed.name, withServerNames(args, listed.renamed), context)),
        ),
    });
}

/** Undefined where it has no resources, or the filter leaves the tool out. */
function resourceToolName(server: ManagedServer): string | undefined {
  if (!server.hasResources) return undefined;
  const isTaken = server.tools.some(({ name }) => name === "read_resource");
  const name = isTaken ? "read_mcp_resource" : "read_resource";
  return isUsedTool({ ...server.config.filter, include: undefined }, name) ? name : undefined;
}

const resourceInput = z.object({
  uri: z.string().max(maxUriLength).optional().describe("Absent: lists them"),
  search: z.string().optional().describe("Lists only those that contain this"),
});

/** Asked for like every tool of a server: what it is told leaves this machine. */
function resourceTool(server: ManagedServer) {
  return (name: string): Tool<z.infer<typeof resourceInput>> =>
    tool({
      name,
      kind: "read",
      description: `Reads a resource of ${server.config.name} by its URI, or lists the URIs.`,
      input: resourceInput,
      readOnly: false,
      outputLimit,
      keepsBothEnds: true,
      describe: () => ({ title: createToolTitle(name) }),
      execute: ({ uri, search }, context) =>
        explained(`${server.config.name}/resources`, context.signal, async () =>
          uri === undefined
            ? textResult(resourceList(await server.resources(), search))
            : { content: readContents(await server.readResource(uri, context)) },
        ),
    });
}

async function explained<T>(what: string, signal: AbortSignal, work: () => Promise<T>) {
  try {
    return await work();
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ToolFailure) throw error;
    return failed(`${what} failed: ${messageOf(error)}`);
  }
}
