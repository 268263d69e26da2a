// The MCP client against servers at a URL that forget, refuse, redirect, hang or talk nonsense.
import type { ServerResponse } from "node:http";
import { describe, expect, it } from "vitest";
import type { WebServer } from "../tools/testing/web-server.ts";
import { boundedFetch } from "./bounded-fetch.ts";
import { answerTo, jsonServer } from "./testing/json-server.ts";
import { testSession, urlServer } from "./testing/mcp-session.ts";

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

  it("that requires a log-in is reported, with what to do", async () => {
    await using server = await jsonServer((_message, _request, response) => {
      response.writeHead(401, { "www-authenticate": "Bearer" }).end();
      return true;
    });
    const url = server.url("/mcp");
    await using test = await testSession(
      () => [
        urlServer("mine", url),
        urlServer("header", url, { headers: { authorization: "Bearer old" } }),
        urlServer("project", url, { origin: "project" }),
      ],
      { projectNetwork: true },
    );
    expect(test.notices.toSorted()).toEqual([
      expect.stringContaining("header did not start: it refused the Authorization header"),
      expect.stringContaining("mine did not start: it wants you to log in: /mcp login mine"),
      expect.stringContaining("project did not start: it wants you to log in, and a project's server gets no log-in"),
    ]);
    await expect(test.session.logIn("project", async () => {}, AbortSignal.timeout(5000))).rejects.toThrow(
      "own config",
    );
  });

  it("that knows only SSE is spoken to so, also where the config does not say it", async () => {
    let stream: ServerResponse | undefined;
    await using server = await jsonServer((message, { method, url }, response) => {
      if (method === "GET") {
        stream = response.writeHead(200, { "content-type": "text/event-stream" });
        stream.write("event: endpoint\ndata: /messages\n\n");
      } else if (url === "/mcp") response.writeHead(405).end();
      else {
        response.writeHead(202).end();
        if (message.id !== undefined) stream?.write(`data: ${answerTo(message)}\n\n`);
      }
      return true;
    });
    for (const type of ["http", "sse"] as const) {
      await using test = await testSession(() => [{ ...config(server), type }]);
      expect(test.notices).toEqual([]);
      expect((await test.call("mcp__far__work")).text).toBe("done");
    }
    expect(server.requests.every(({ headers }) => headers["x-key"] === "value")).toBe(true);
  });

  it.each([
    ["application/json", "x".repeat(1500), "more than 0.001 MB"],
    ["text/event-stream", `data: a\n\ndata: ${"x".repeat(1500)}`, "more than 0.001 MB"],
    ["text/event-stream", `data: ${"x".repeat(700)}\n\n`.repeat(3), undefined],
  ])("that sends %s cannot fill our memory with one message", async (type, body, problem) => {
    const chunks = body.match(/[^]{1,500}(?:\n\n)?/g) ?? [];
    const fetchIt = async () =>
      new Response(ReadableStream.from(chunks.map((part) => Buffer.from(part))), { headers: { "content-type": type } });
    const read = boundedFetch(fetchIt, 1000)("http://x.example").then((response) => response.text());
    if (problem === undefined) expect(await read).toBe(body);
    else await expect(read).rejects.toThrow(problem);
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
