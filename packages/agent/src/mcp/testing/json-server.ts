// For tests: an MCP server over HTTP that answers with plain JSON.
import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { type WebServer, webServer } from "../../tools/testing/web-server.ts";

interface Message {
  readonly id?: number;
  readonly method: string;
}

/** `special` may answer first, and sees every request. */
export function jsonServer(
  special: (message: Message, request: IncomingMessage, response: ServerResponse) => boolean = () => false,
): Promise<WebServer> {
  let sessions = 0;
  const respond = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await text(request);
    const message: Message = body === "" ? { method: "" } : JSON.parse(body);
    if (special(message, request, response)) return;
    if (request.method !== "POST") {
      response.writeHead(request.method === "DELETE" ? 200 : 405).end();
      return;
    }
    if (message.id === undefined) {
      response.writeHead(202).end();
      return;
    }
    if (message.method === "initialize") response.setHeader("mcp-session-id", `session-${++sessions}`);
    response.setHeader("content-type", "application/json");
    response.end(answerTo(message));
  };
  return webServer((request, response) => void respond(request, response));
}

export function answerTo({ id, method }: Message): string {
  return JSON.stringify({ jsonrpc: "2.0", id, result: results[method] ?? {} });
}

const results: Readonly<Record<string, object>> = {
  initialize: { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } },
  "tools/list": { tools: [{ name: "work", inputSchema: { type: "object" } }] },
  "tools/call": { content: [{ type: "text", text: "done" }] },
};
