// The MCP client against servers that people use, from npm, over stdio in the sandbox and over HTTP.
import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import type { CreateElicitationRequest, CreateElicitationResponse } from "@agentclientprotocol/sdk";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { webServer } from "../tools/testing/web-server.ts";
import { nodeServer, serverProgram, type TestSession, testSession, urlServer } from "./testing/mcp-session.ts";

const limit = 60_000;

describe("the server `everything`", () => {
  let test: TestSession;
  beforeAll(async () => {
    const env = { GIVEN_TOKEN: "for the server" };
    process.env.OPENAI_API_KEY = "sk-not-for-servers";
    test = await testSession(() => [nodeServer("every thing", [serverProgram("server-everything"), "stdio"], { env })]);
    delete process.env.OPENAI_API_KEY;
  }, limit);
  afterAll(() => test[Symbol.asyncDispose]());

  it("gives its tools with names, words, shapes and instructions", () => {
    const echo = test.tool("mcp__every_thing__echo");
    expect(echo).toMatchObject({ kind: "other", readOnly: false, description: expect.stringContaining("choes") });
    expect(echo.inputSchema).toMatchObject({ type: "object", properties: { message: { type: "string" } } });
    expect(echo.describe({ message: "x" }, "/").title).toBe("every_thing/echo");
    expect(test.session.servers).toMatchObject([
      { name: "every thing", state: "running", problem: undefined, instructions: expect.stringMatching(/./) },
    ]);
    expect(test.notices).toEqual([]);
  });

  it("answers with text, images, resources and structured content", async () => {
    expect((await test.call("mcp__every_thing__echo", { message: "hello" })).text).toBe("Echo: hello");
    const image = await test.call("mcp__every_thing__get-tiny-image");
    expect(image.content).toContainEqual({
      type: "image",
      mimeType: "image/png",
      data: expect.stringMatching(/^iVBOR/),
    });
    expect(image.display).toContainEqual(
      expect.objectContaining({ content: expect.objectContaining({ type: "image" }) }),
    );
    const resource = await test.call("mcp__every_thing__get-resource-reference", {
      resourceType: "Text",
      resourceId: 1,
    });
    expect(resource.text).toContain("demo://resource/");
    const links = await test.call("mcp__every_thing__get-resource-links", { count: 2 });
    expect(links.text).toMatch(/\[.+\]\(demo:\/\/resource\/.+\)/);
    const structured = await test.call("mcp__every_thing__get-structured-content", { location: "New York" });
    expect(structured.rawOutput).toMatchObject({ temperature: expect.any(Number) });
  });

  it("has its errors reported as errors", async () => {
    const result = await test.call("mcp__every_thing__echo", { wrong: 1 });
    expect(result).toMatchObject({ isError: true, text: expect.stringContaining("message") });
  });

  it("reports its progress", async () => {
    const progress: unknown[] = [];
    await test.call(
      "mcp__every_thing__trigger-long-running-operation",
      { duration: 0.4, steps: 4 },
      { onProgress: (done, total) => progress.push([done, total]) },
    );
    expect(progress).toContainEqual([4, 4]);
  });

  it("gives its resources: all, those that fit, one by its URI, one of a template", async () => {
    const name = "mcp__every_thing__read_resource";
    expect(test.tool(name)).toMatchObject({ readOnly: false, kind: "read" });
    expect((await test.call(name)).text).toMatch(/^demo:\/\/resource\/static[^]*Fill in the parts in braces:\n.*\{/);
    const some = (await test.call(name, { search: "features" })).text;
    expect(some).toContain("features.md");
    expect(some).not.toContain("Fill in");
    const uri = some.split(" · ")[0];
    expect((await test.call(name, { uri })).text).toMatch(/^demo:.*:\n#/);
    expect((await test.call(name, { uri: "demo://resource/dynamic/text/7" })).text).toContain("Resource 7");
    expect(await test.call(name, { uri: "demo://nothing" })).toMatchObject({ isError: true });
  });

  it("gives its prompts as commands, with arguments by place or by name", async () => {
    const signal = AbortSignal.timeout(20_000);
    const prompt = test.session.prompts.find(({ command }) => command === "every_thing:args-prompt");
    expect(prompt).toMatchObject({ hint: "<city> [state]", description: expect.stringContaining("two arguments") });
    const texts = [{ type: "text", text: expect.stringContaining(" in New York, NY?") }];
    expect(await prompt?.read('"New York" NY', { signal })).toEqual(texts);
    expect(await prompt?.read('state=NY city="New York"', { signal })).toEqual(texts);
    expect(await prompt?.read("", { signal })).toContain("It needs city (Name of the city)");
  });

  it("gives resources that a prompt mentions, and asks with forms and pages", { timeout: limit }, async () => {
    const asked: CreateElicitationRequest[] = [];
    const elicitations = {
      form: true,
      url: true,
      create: async (request: CreateElicitationRequest): Promise<CreateElicitationResponse> => {
        asked.push(request);
        return { action: "accept", ...(request.mode === "form" && { content: { name: "Ada" } }) };
      },
    };
    await using other = await testSession(() => [nodeServer("e", [serverProgram("server-everything"), "stdio"])], {
      elicitations,
    });
    const read = await other.session.readMentions(
      "Compare @e:demo://resource/dynamic/text/7, me@e:x and @e:demo://nothing.",
      { signal: AbortSignal.timeout(20_000) },
    );
    expect(read.content).toEqual([{ type: "text", text: expect.stringContaining("Resource 7") }]);
    expect(read.problems).toEqual([expect.stringContaining("e did not give demo://nothing")]);
    await expect.poll(() => other.session.tools.map(({ name }) => name)).toContain("mcp__e__trigger-url-elicitation");
    expect((await other.call("mcp__e__trigger-elicitation-request")).text).toContain("Ada");
    const url = "https://example.com/x";
    expect((await other.call("mcp__e__trigger-url-elicitation", { url })).text).toContain("User completed");
    // It refuses the call until a page was opened.
    const again = await other.call("mcp__e__trigger-url-elicitation", { url, errorPath: true });
    expect(again.text).toContain("User completed");
    const scope = { sessionId: "session", toolCallId: "call" };
    expect(asked).toMatchObject([
      { mode: "form", ...scope, message: "The MCP server e asks: Please provide inputs for the following fields:" },
      { mode: "url", ...scope, url, elicitationId: expect.stringMatching(/^e:/) },
      { mode: "url", url: "https://modelcontextprotocol.io" },
      { mode: "url", url },
    ]);
  });

  it("goes on after a call was cancelled", async () => {
    const stop = new AbortController();
    const call = test.call(
      "mcp__every_thing__trigger-long-running-operation",
      { duration: 60, steps: 6000 },
      { signal: stop.signal, onProgress: () => stop.abort() },
    );
    await expect(call).rejects.toThrow("aborted");
    expect((await test.call("mcp__every_thing__echo", { message: "still here" })).text).toBe("Echo: still here");
  });

  it("sees the environment that it was given, and none of our keys", async () => {
    const { text } = await test.call("mcp__every_thing__get-env");
    expect(text).toContain("for the server");
    expect(text).not.toContain("sk-not-for-servers");
  });
});

describe("the server `filesystem`", () => {
  it("works in the session's folders, which it learns as roots", { timeout: limit }, async () => {
    await using test = await testSession(() => [nodeServer("files", [serverProgram("server-filesystem"), "/usr"])]);
    const path = test.folder.put("a.txt", "content");
    // It asks for the roots on its own, after it has answered.
    const allowed = async () => (await test.call("mcp__files__list_allowed_directories")).text;
    await expect.poll(allowed, { timeout: 20_000 }).toContain(test.folder.cwd);
    expect((await test.call("mcp__files__read_text_file", { path })).text).toContain("content");
    expect(test.tool("mcp__files__read_text_file").describe({ path }, test.folder.cwd).locations).toEqual([{ path }]);
    await test.call("mcp__files__write_file", { path: test.folder.path("b.txt"), content: "new" });
    expect(readFileSync(test.folder.path("b.txt"), "utf8")).toBe("new");
  });
});

describe("the server `everything` over HTTP", () => {
  let port: number;
  let server: ChildProcess;

  const start = async () => {
    server = spawn(process.execPath, [serverProgram("server-everything"), "streamableHttp"], {
      env: { ...process.env, PORT: String(port) },
      stdio: ["ignore", "pipe", "pipe"],
    });
    await new Promise<void>((resolve) => {
      for (const stream of [server.stdout, server.stderr])
        stream?.on("data", (text: Buffer) => String(text).includes(String(port)) && resolve());
    });
  };
  const stop = async () => {
    const exited = new Promise((resolve) => server.once("exit", resolve));
    server.kill("SIGKILL");
    await exited;
  };

  beforeAll(async () => {
    const free = await webServer(() => {});
    ({ port } = free);
    await free[Symbol.asyncDispose]();
    await start();
  }, limit);
  afterAll(stop);

  it("works the same, and survives a restart of the server", { timeout: limit }, async () => {
    await using test = await testSession(() => [urlServer("far", `http://127.0.0.1:${port}/mcp`)]);
    expect((await test.call("mcp__far__echo", { message: "hello" })).text).toBe("Echo: hello");
    const progress: unknown[] = [];
    await test.call(
      "mcp__far__trigger-long-running-operation",
      { duration: 0.2, steps: 2 },
      { onProgress: (done, total) => progress.push([done, total]) },
    );
    expect(progress).toContainEqual([2, 2]);
    await stop();
    expect(await test.call("mcp__far__echo", { message: "anybody there?" })).toMatchObject({ isError: true });
    await start();
    expect((await test.call("mcp__far__echo", { message: "again" })).text).toBe("Echo: again");
  });
});
