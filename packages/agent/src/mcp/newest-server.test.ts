// The MCP client against servers of the newest revision, which are not greeted but asked what they are.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { nodeServer, type TestSession, testSession, urlServer } from "./testing/mcp-session.ts";

const limit = 60_000;
const program = join(import.meta.dirname, "testing/newest-server.mjs");

describe.each(["stdio", "http"] as const)("an MCP server that knows only the newest revision, over %s", (type) => {
  let test: TestSession;
  let web: ChildProcess | undefined;

  beforeAll(async () => {
    if (type === "stdio") {
      test = await testSession(() => [nodeServer("new", [program])]);
      return;
    }
    web = spawn(process.execPath, [program, "0"], { stdio: ["ignore", "pipe", "inherit"] });
    const [port] = await once(web.stdout ?? process.stdin, "data");
    const url = `http://127.0.0.1:${String(port).trim()}/mcp`;
    test = await testSession(() => [urlServer("new", url)]);
  }, limit);

  afterAll(async () => {
    await test[Symbol.asyncDispose]();
    web?.kill();
  });

  it("gives its tools and its instructions", () => {
    expect(test.notices).toEqual([]);
    expect(test.session.servers).toMatchObject([{ state: "running", problem: undefined, instructions: "Be modern." }]);
    expect(test.tool("mcp__new__work").description).toBe("Works in three steps.");
  });

  it("works, and reports its progress", async () => {
    const progress: unknown[] = [];
    const onProgress = (done: number, total?: number) => progress.push([done, total]);
    expect((await test.call("mcp__new__work", {}, { onProgress })).text).toBe("done");
    expect(progress).toEqual([
      [1, 3],
      [2, 3],
      [3, 3],
    ]);
  });

  it("hears which folders the session has when it asks", async () => {
    const { text } = await test.call("mcp__new__roots");
    expect(text).toContain(pathToFileURL(test.folder.workspace.cwd).href);
  });

  it("tells when it has other tools", async () => {
    await test.call("mcp__new__grow");
    await expect.poll(() => test.session.tools.map(({ name }) => name)).toContain("mcp__new__fresh");
    expect((await test.call("mcp__new__fresh")).text).toBe("fresh");
  });

  it("ends a call that is cancelled", async () => {
    const controller = new AbortController();
    const call = test.call("mcp__new__wait", {}, { signal: controller.signal, onProgress: () => controller.abort() });
    await expect(call).rejects.toThrow();
  });
});
