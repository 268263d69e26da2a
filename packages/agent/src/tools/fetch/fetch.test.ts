import { gzipSync } from "node:zlib";
import { describe, expect, it, vi } from "vitest";
import { exampleJpeg, exampleScan } from "../../../../agent-kit/src/documents/example-pdf.ts";
import { type Trial, type TrialOptions, testFolder, tryTool } from "../testing/try-tool.ts";
import { type WebServer, webServer } from "../testing/web-server.ts";
import { type FetchOptions, fetchTool } from "./fetch.ts";

// A busy machine takes its time for megabytes.
vi.setConfig({ testTimeout: 30_000 });

async function get(url: string, options: Partial<FetchOptions> = {}, trial?: TrialOptions): Promise<Trial> {
  await using folder = testFolder();
  return await tryTool(fetchTool({ privateHosts: [], ...options }), folder.workspace, { url }, trial);
}

const open = (...servers: WebServer[]) => ({ privateHosts: servers.map(({ host }) => host) });

describe("fetch", () => {
  it("returns a page as Markdown with its title", async () => {
    await using server = await webServer((_request, response) => {
      response.setHeader("content-type", "text/html; charset=utf-8");
      response.end("<title>Docs</title><p>Read <a href='/more'>more</a>, é.");
    });
    expect((await get(server.url("/"), open(server))).text).toBe(`# Docs\n\nRead [more](${server.url("/more")}), é.`);
  });

  it("returns HTML as it is when asked, and other text always", async () => {
    await using server = await webServer((request, response) => {
      response.setHeader("content-type", request.url === "/json" ? "application/json" : "text/html");
      response.end(request.url === "/json" ? '{"a": "<b>"}' : "<p>x");
    });
    await using folder = testFolder();
    const tool = fetchTool(open(server));
    expect((await tryTool(tool, folder.workspace, { url: server.url("/"), raw: true })).text).toBe("<p>x");
    expect((await get(server.url("/json"), open(server))).text).toBe('{"a": "<b>"}');
  });

  it("decodes the page's charset, from the header or from the page", async () => {
    await using server = await webServer((request, response) => {
      const type = request.url === "/header" ? "text/plain; charset=iso-8859-1" : "text/html";
      response.setHeader("content-type", type);
      response.end(
        Buffer.from(request.url === "/header" ? "caf\xe9" : "<meta charset=iso-8859-1><p>caf\xe9", "latin1"),
      );
    });
    expect((await get(server.url("/header"), open(server))).text).toBe("café");
    expect((await get(server.url("/page"), open(server))).text).toBe("café");
  });

  it("shows images and scans, and names other binaries", async () => {
    await using server = await webServer((request, response) => {
      if (request.url === "/scan") return response.end(exampleScan(exampleJpeg));
      return response.end(Buffer.from(request.url === "/png" ? "\x89PNG\r\n\x1a\n\0" : "%PDF-1.7\n\0", "latin1"));
    });
    expect((await get(server.url("/scan"), open(server))).content).toMatchObject([
      { text: expect.stringContaining("no text") },
      { type: "pdf", name: "scan" },
    ]);
    expect((await get(server.url("/png"), open(server))).content).toMatchObject([
      { type: "image", mimeType: "image/png" },
    ]);
    expect(await get(server.url("/pdf"), open(server))).toMatchObject({
      isError: true,
      text: expect.stringContaining("a PDF document"),
    });
  });

  it("tells the status of an answer that is no success, with its text", async () => {
    await using server = await webServer((_request, response) => {
      response.statusCode = 404;
      response.end("no such page");
    });
    expect(await get(server.url("/"), open(server))).toMatchObject({
      isError: true,
      text: "HTTP 404 Not Found\n\nno such page",
    });
  });

  it("stops at the size limit, also of what grows by decompression", async () => {
    await using server = await webServer((_request, response) => {
      response.setHeader("content-type", "text/plain");
      response.setHeader("content-encoding", "gzip");
      response.end(gzipSync(Buffer.alloc(200_000_000, "x")));
    });
    const { text } = await get(server.url("/"), open(server));
    expect(text).toContain("[Truncated: only the first 5000000 bytes were read.]");
    expect(text.length).toBeLessThan(5_001_000);
  });

  it("gives up on a server that says nothing, and on one that drips", async () => {
    await using server = await webServer((request, response) => {
      if (request.url !== "/drip") return;
      const timer = setInterval(() => response.write("x"), 20);
      response.on("close", () => clearInterval(timer));
    });
    for (const path of ["/silent", "/drip"]) {
      const result = await get(server.url(path), { ...open(server), timeoutMs: 300 });
      expect(result.text, path).toMatch(/did not answer within 0\.3 seconds|bytes were read/);
    }
  });

  it("ends when it is cancelled", async () => {
    const stop = new AbortController();
    await using server = await webServer(() => stop.abort());
    await expect(get(server.url("/"), open(server), { signal: stop.signal })).rejects.toThrow("aborted");
  });

  it("sends no credentials and takes none", async () => {
    await using server = await webServer((_request, response) => response.end("ok"));
    await get(server.url("/"), open(server));
    expect(server.requests[0]?.headers).not.toHaveProperty("authorization");
    expect(server.requests[0]?.headers).not.toHaveProperty("cookie");
    const withUser = server.url("/").replace("://", "://user:password@");
    expect(await get(withUser, open(server))).toMatchObject({ isError: true });
  });

  it.each(["file:///etc/passwd", "ftp://example.org/", "data:text/plain,x", "not a url", "javascript:1"])(
    "refuses %s",
    async (url) => {
      expect(await get(url)).toMatchObject({ isError: true });
    },
  );

  it("says who could not be reached", async () => {
    const server = await webServer(() => {});
    await server[Symbol.asyncDispose]();
    expect(await get(server.url("/"), open(server))).toMatchObject({
      isError: true,
      text: expect.stringContaining("could not be reached"),
    });
  });
});

describe("fetch and private addresses", () => {
  it.each([
    "http://127.0.0.1/",
    "http://localhost/",
    "http://2130706433/",
    "http://0x7f.1/",
    "http://0/",
    "http://[::1]/",
    "http://[::ffff:127.0.0.1]/",
    "http://169.254.169.254/latest/meta-data/",
    "http://10.0.0.1/",
    "http://192.168.0.1:8080/",
  ])("does not go to %s", async (url) => {
    expect(await get(url)).toMatchObject({
      isError: true,
      text: expect.stringContaining("not an address of the public internet"),
    });
  });

  it.each(["http://169.254.169.254/", "http://localhost:3000/", "file:///etc/passwd", "nonsense"])(
    "refuses %s in the preview already, so that no useless question is asked",
    async (url) => {
      await using folder = testFolder();
      const context = { workspace: folder.workspace, signal: AbortSignal.timeout(5000) };
      const preview = await fetchTool({ privateHosts: [] }).preview?.({ url }, context);
      expect(preview).toMatchObject({ refusal: { isError: true } });
    },
  );

  it("does not go to a name that leads there", async () => {
    const resolve = async () => [
      { address: "8.8.8.8", family: 4 },
      { address: "127.0.0.1", family: 4 },
    ];
    expect(await get("http://innocent.example/", { resolve })).toMatchObject({
      isError: true,
      text: expect.stringContaining("innocent.example (127.0.0.1)"),
    });
  });

  it("connects to the address that was checked, not to what the name says later", async () => {
    await using server = await webServer((request, response) => response.end(request.headers.host));
    let asked = 0;
    // A second look-up would lead nowhere.
    const resolve = async () => [{ address: ++asked === 1 ? "127.0.0.1" : "192.0.2.1", family: 4 }];
    const host = `pinned.example:${server.port}`;
    expect((await get(`http://${host}/`, { resolve, privateHosts: [host] })).text).toBe(host);
    expect(asked).toBe(1);
  });

  it("checks every hop of a redirect", async () => {
    await using secret = await webServer((_request, response) => response.end("secret"));
    await using server = await webServer((_request, response) => {
      response.writeHead(302, { location: secret.url("/") }).end();
    });
    const result = await get(server.url("/"), open(server), { decide: () => ({ allowed: true }) });
    expect(result).toMatchObject({
      isError: true,
      text: expect.stringContaining("not an address of the public internet"),
    });
    expect(secret.requests).toEqual([]);
  });
});

describe("fetch and redirects", () => {
  it("follows them on the same host", async () => {
    await using server = await webServer((request, response) => {
      if (request.url === "/new") response.end("arrived");
      else response.writeHead(301, { location: "/new" }).end();
    });
    expect(await get(server.url("/old"), open(server))).toMatchObject({ text: "arrived", asked: [] });
  });

  it("asks before it goes to another host", async () => {
    await using other = await webServer((_request, response) => response.end("elsewhere"));
    await using server = await webServer((_request, response) => {
      response.writeHead(307, { location: other.url("/x") }).end();
    });
    const no = await get(server.url("/"), open(server, other));
    expect(no).toMatchObject({
      isError: true,
      text: expect.stringContaining("which was not fetched: The user said no."),
    });
    expect(no.asked).toEqual([
      { tool: "fetch", kind: "fetch", title: `Fetch ${other.url("/x")}`, args: { url: other.url("/x") } },
    ]);
    expect(other.requests).toEqual([]);
    const yes = await get(server.url("/"), open(server, other), { decide: () => ({ allowed: true }) });
    expect(yes.text).toBe("elsewhere");
  });

  it("gives the person time to decide", async () => {
    await using other = await webServer((_request, response) => response.end("elsewhere"));
    await using server = await webServer((_request, response) => {
      response.writeHead(307, { location: other.url("/") }).end();
    });
    const { promise: later, resolve } = Promise.withResolvers<void>();
    setTimeout(resolve, 400);
    const options = { ...open(server, other), timeoutMs: 300 };
    expect((await get(server.url("/"), options, { decide: () => later.then(() => ({ allowed: true })) })).text).toBe(
      "elsewhere",
    );
  });

  it("does not run in circles, and does not follow what is no web address", async () => {
    await using server = await webServer((request, response) => {
      response.writeHead(302, { location: request.url === "/file" ? "file:///etc/passwd" : "/again" }).end();
    });
    expect(await get(server.url("/"), open(server))).toMatchObject({
      isError: true,
      text: expect.stringContaining("more than 5 times"),
    });
    expect(await get(server.url("/file"), open(server), { decide: () => ({ allowed: true }) })).toMatchObject({
      isError: true,
    });
  });
});
