import { describe, expect, it } from "vitest";
import { builtInTools } from "../built-in-tools.ts";
import { testFolder, tryTool } from "../testing/try-tool.ts";
import { webServer } from "../testing/web-server.ts";
import type { WebSearchEndpoint } from "./search-service.ts";
import { webSearchTool } from "./web-search.ts";

async function search(endpoint: WebSearchEndpoint, input: object) {
  await using folder = testFolder();
  return await tryTool(webSearchTool(endpoint), folder.workspace, input);
}

describe("web_search", () => {
  it("is there only when a service is configured", () => {
    const names = (options: Parameters<typeof builtInTools>[0]) => builtInTools(options).map(({ name }) => name);
    expect(names({})).not.toContain("web_search");
    expect(names({ webSearch: { engine: "searxng", url: "http://localhost:8888" } })).toContain("web_search");
  });

  it("asks a SearXNG and lists what it found", async () => {
    await using server = await webServer((_request, response) => {
      const results = [
        { title: "One", url: "https://one.example/", content: "about <b>one</b>" },
        { title: "Bad", url: "javascript:alert(1)", content: "" },
        { url: "https://two.example/" },
      ];
      response.end(JSON.stringify({ results }));
    });
    const result = await search({ engine: "searxng", url: server.url("/") }, { query: "a & b", limit: 2 });
    expect(result.text).toBe(
      "1. One\nhttps://one.example/\nabout one\n\n2. https://two.example/\nhttps://two.example/",
    );
    expect(server.requests[0]?.url).toBe("/search?q=a+%26+b&format=json");
  });

  it("asks Brave with the key, which goes nowhere else", async () => {
    await using server = await webServer((_request, response) => {
      response.end(
        JSON.stringify({
          type: "search",
          web: { results: [{ title: "T", url: "https://t.example/", description: "d" }] },
        }),
      );
    });
    const endpoint = { engine: "brave", url: server.url("/res/v1/web/search"), apiKey: "key-123" } as const;
    const result = await search(endpoint, { query: "x" });
    expect(result.text).toBe("1. T\nhttps://t.example/\nd");
    expect(server.requests[0]?.headers["x-subscription-token"]).toBe("key-123");
    expect(JSON.stringify(result)).not.toContain("key-123");
  });

  it("says when nothing was found", async () => {
    await using server = await webServer((_request, response) => response.end(JSON.stringify({ type: "search" })));
    expect((await search({ engine: "brave", url: server.url("/") }, { query: "x" })).text).toBe("Nothing was found.");
  });

  it.each([
    [403, "formats"],
    [429, "Too many searches"],
    [500, "answered 500"],
    [302, "answered 302"],
  ])("explains an answer of %d", async (status, words) => {
    await using server = await webServer((_request, response) => {
      response.writeHead(status, { location: "http://elsewhere.example/" }).end("no");
    });
    const result = await search({ engine: "searxng", url: server.url("/") }, { query: "x" });
    expect(result).toMatchObject({ isError: true, text: expect.stringContaining(words) });
  });

  it("survives an answer that is no JSON, or another one than promised", async () => {
    for (const body of ["<html>", "[1]", '{"results": 3}', "null"]) {
      await using server = await webServer((_request, response) => response.end(body));
      expect(await search({ engine: "searxng", url: server.url("/") }, { query: "x" })).toMatchObject({
        isError: true,
      });
    }
  });
});
