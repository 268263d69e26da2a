// The MCP client against servers at a URL that forget, refuse, redirect, hang or talk nonsense.
import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { type WebServer, webServer } from "../tools/testing/web-server.ts";
import { testSession, urlServer } from "./testing/mcp-session.ts";

interface Message {
  readonly id?: number;
  readonly method: string;
}

/** An MCP server over HTTP that answers with plain JSON; `special` may answer first. */
function jsonServer(
  special: (message: Message, request: IncomingMessage, response: ServerResponse) => boolean = () => false,
): Promise<WebServer> {
  let sessions = 0;
  const respond = async (request: IncomingMessage, response: ServerResponse) => {
    if (request.method !== "POST") {
      response.writeHead(request.method === "DELETE" ? 200 : 405).end();
      return;
    }
    const message: Message = JSON.parse(await text(request));
    if (special(message, request, response)) return;
    if (message.id === undefined) {
      response.writeHead(202).end();
      return;
    }
    if (message.method === "initialize") response.setHeader("mcp-session-id", `session-${++sessions}`);
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ jsonrpc: "2.0", id: message.id, result: results[message.method] ?? {} }));
  };
  return webServer((request, response) => void respond(request, response));
}

const results: Readonly<Record<string, object>> = {
  initialize: { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } },
  "tools/list": { tools: [{ name: "work", inputSchema: { type: "object" } }] },
  "tools/call": { content: [{ type: "text", text: "done" }] },
};

const config = (server: WebServer) => urlServer("far", server.url("/mcp"), { headers: { "x-key": "value" } });

describe("an MCP server at a URL", () => {
  it("gets the configured headers, and the end of the session", async () => {
    await using server = await jsonServer();
    const test = await testSession(() => [config(server)]);
    expect((await test.call("mcp__far__work")).text).toBe("done");
    await test[Symbol.asyncDispose]();
    expect(server.requests.every(({ headers }) => headers["x-key"] === "value")).toBe(true);
    expect(server.requests.at(-1)).toMatchObject({ method: "DELETE", headers: { "mcp-session-id": "session-1" } });
  });

  it("that forgot the session gets a new one, once", async () => {
    let forgets = true;
    await using server = await jsonServer((message, _request, response) => {
      if (message.method !== "tools/call" || !forgets) return false;
      forgets = false;
      response.writeHead(404).end("no such session");
      return true;
    });
    await using test = await testSession(() => [config(server)]);
    expect((await test.call("mcp__far__work")).text).toBe("done");
    expect(test.session.servers).toMatchObject([{ state: "running" }]);
  });

  it("that always forgets the session is an error, not a loop", async () => {
    await using server = await jsonServer((message, _request, response) => {
      if (message.method === "tools/call") response.writeHead(404).end();
      return message.method === "tools/call";
    });
    await using test = await testSession(() => [config(server)]);
    expect(await test.call("mcp__far__work")).toMatchObject({ isError: true });
  });

  it("that requires a log-in is reported", async () => {
    await using server = await jsonServer((_message, _request, response) => {
      response.writeHead(401, { "www-authenticate": "Bearer" }).end();
      return true;
    });
    await using test = await testSession(() => [config(server)]);
    expect(test.notices).toEqual([expect.stringContaining("Authorization header")]);
  });

  it("that redirects is not followed with our headers", async () => {
    await using other = await jsonServer();
    await using server = await jsonServer((_message, _request, response) => {
      response.writeHead(307, { location: other.url("/mcp") }).end();
      return true;
    });
    await using test = await testSession(() => [config(server)]);
    expect(test.notices).toEqual([expect.stringContaining("did not start")]);
    expect(other.requests).toEqual([]);
  });

  it("that hangs does not hold a call beyond its time, nor the session's end", async () => {
    await using server = await jsonServer((message) => message.method === "tools/call");
    const test = await testSession(() => [config(server)]);
    await expect(test.call("mcp__far__work", {}, { signal: AbortSignal.timeout(200) })).rejects.toThrow("timeout");
    await test[Symbol.asyncDispose]();
  });

  it("that answers with nonsense is an error", async () => {
    await using server = await jsonServer((message, _request, response) => {
      if (message.method === "tools/call") response.setHeader("content-type", "text/html").end("<h1>Hello");
      return message.method === "tools/call";
    });
    await using test = await testSession(() => [config(server)]);
    expect(await test.call("mcp__far__work")).toMatchObject({ isError: true });
  });
});
