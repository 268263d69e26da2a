// The MCP client against a server that refuses, lies, floods, hangs, dies and reaches too far, one test each.
import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { LoginStore } from "@signalbox/config/logins";
import { describe, expect, it } from "vitest";
import { processesWith } from "../../../../test/support/processes.ts";
import { rounds } from "../../../../test/support/rounds.ts";
import { testFolder } from "../tools/testing/try-tool.ts";
import { openMcp } from "./open-mcp.ts";
import { badServer, nodeServer, testSession, urlServer } from "./testing/mcp-session.ts";

describe("an MCP server that does not start", () => {
  it("is reported with its last words, and the others work", async () => {
    const good = { ...badServer("well"), name: "good" };
    await using test = await testSession(() => [badServer("refuse"), good]);
    expect(test.notices).toEqual([
      expect.stringMatching(
        /^The MCP server bad did not start: .*exit code 3; it wrote:\ncannot start: no configuration found$/s,
      ),
    ]);
    expect(test.session.servers).toMatchObject([
      { name: "bad", state: "failed" },
      { name: "good", state: "running", tools: 1 },
    ]);
    expect((await test.call("mcp__good__work")).text).toBe("work did its work");
  });

  it.each([
    [
      "is not there",
      { ...nodeServer("bad", []), command: "no-such-program" } as const,
      "did not start: cannot run no-such-program: No such file or directory. Check its command.",
    ],
    ["never answers", badServer("silent"), "bad did not start: it did not answer in time. Try again: /mcp restart bad"],
    ["answers with an error", badServer("refuse-initialize"), "no licence"],
    [
      "is at a port that is closed",
      urlServer("bad", "http://127.0.0.1:1/mcp"),
      "did not start: http://127.0.0.1:1 cannot be reached: ",
    ],
  ])("because it %s", async (_why, server, words) => {
    await using test = await testSession(() => [server], { startTimeoutMs: 1000 });
    expect(test.notices).toEqual([expect.stringContaining(words)]);
    expect(test.session.tools).toEqual([]);
  });

  it("because it sends a line without end", async () => {
    await using test = await testSession(() => [badServer("endless-line")]);
    expect(test.notices).toEqual([expect.stringContaining("it sent a message of more than 32 MB")]);
  });

  it("does not delay the session's end", async () => {
    const folder = testFolder();
    const notices: string[] = [];
    const { workspace } = folder;
    const session = openMcp({
      servers: [badServer("silent")],
      workspace,
      version: "1",
      projectNetwork: false,
      sessionId: "session",
      elicitations: undefined,
      logins: new LoginStore(folder.home, undefined),
      onChanged: () => {},
      onNotice: (notice) => notices.push(notice),
    });
    await session.close();
    await session.ready;
    expect(session.servers).toMatchObject([{ state: "closed" }]);
    expect(notices).toEqual([]);
    await folder[Symbol.asyncDispose]();
  });
});

describe("an MCP server that reaches too far", () => {
  it("is in the sandbox: it neither writes outside nor reads what is ours", async () => {
    await using test = await testSession(() => [badServer("well")]);
    const [read, write] = [join(test.folder.home, "token"), join(test.folder.outside, "a.txt")];
    writeFileSync(read, "secret");
    const { text } = await test.call("mcp__bad__work", { do: "reach", read, write });
    expect(text).toMatch(/^E[A-Z]+ E[A-Z]+$/);
    expect(readdirSync(test.folder.outside)).toEqual([]);
  });

  it("takes what it started along when it ends", async () => {
    const marker = `marker-${randomUUID()}`;
    const test = await testSession(() => [badServer("well")]);
    await test.call("mcp__bad__work", { do: "child", marker });
    await expect.poll(() => processesWith(`${marker}\0`)).toHaveLength(1);
    await test.session.close();
    await expect.poll(() => processesWith(marker)).toEqual([]);
    await test[Symbol.asyncDispose]();
  });
});

describe("an MCP server that lists strange tools", () => {
  it("gives all pages, in order", async () => {
    await using test = await testSession(() => [badServer("pages")]);
    expect(test.session.tools.map(({ name }) => name)).toEqual([0, 1, 2, 3, 4].map((page) => `mcp__bad__tool_${page}`));
  });

  it("is not followed in circles, and not beyond a bound", async () => {
    await using circle = await testSession((folder) => [badServer("circle", folder.path("log"))]);
    expect(circle.session.tools).toHaveLength(1);
    expect(readFileSync(circle.folder.path("log"), "utf8").match(/tools\/list/g)).toHaveLength(2);
    await using many = await testSession(() => [badServer("many")]);
    expect(many.session.tools).toHaveLength(500);
    expect(many.notices).toEqual(["4500 tools of the MCP server bad are not usable and were left out."]);
  });

  it("cannot break a request with a bad schema: it becomes one that allows everything", async () => {
    await using test = await testSession(() => [badServer("liar")]);
    const schemas = Object.fromEntries(
      test.session.tools.map(({ name, inputSchema }) => [name.replace("mcp__bad__", ""), inputSchema]),
    );
    const anything = { type: "object", properties: {} };
    expect(schemas).toEqual({
      honest: { type: "object", properties: {} },
      "no-schema": anything,
      "schema-is-text": anything,
      "schema-is-array": anything,
      "bad-properties": anything,
      huge: anything,
      "lies-about-output": anything,
    });
    expect(test.tool("mcp__bad__huge").description.length).toBeLessThan(5000);
    expect(await test.call("mcp__bad__lies-about-output", { do: "wrong-output" })).toMatchObject({
      text: "said",
      rawOutput: { a: 5 },
    });
  });

  it("may change them", async () => {
    await using test = await testSession(() => [badServer("well")]);
    const before = test.session.tools;
    await test.call("mcp__bad__work", { do: "change" });
    await expect
      .poll(() => test.session.tools.map(({ name }) => name))
      .toEqual(["mcp__bad__work", "mcp__bad__new_tool"]);
    expect(test.session.tools).not.toBe(before);
    expect(test.changes()).toBe(2);
  });
});

describe("an MCP server that answers strangely", () => {
  it("may talk nonsense between its messages", async () => {
    await using test = await testSession(() => [badServer("junk")]);
    expect((await test.call("mcp__bad__work")).text).toBe("work did its work");
  });

  it("may flood us with progress and noise", async () => {
    await using test = await testSession(() => [badServer("well")]);
    const reports: number[] = [];
    const times = rounds({ some: 5000, all: 20_000 });
    const result = await test.call(
      "mcp__bad__work",
      { do: "flood", times },
      { onProgress: (progress) => reports.push(progress) },
    );
    expect(result.text).toBe("work did its work");
    expect(reports).toHaveLength(times);
    expect(reports.at(-1)).toBe(times - 1);
  });

  it("may answer twice, with unknown content, without content, or with an error", async () => {
    await using test = await testSession(() => [badServer("well")]);
    expect((await test.call("mcp__bad__work", { do: "twice" })).text).toBe("first");
    expect(await test.call("mcp__bad__work", { do: "strange" })).toMatchObject({ isError: true });
    expect((await test.call("mcp__bad__work", { do: "no-content" })).text).toBe('{\n  "a": 1\n}');
    expect(await test.call("mcp__bad__work", { do: "error" })).toMatchObject({
      isError: true,
      text: expect.stringContaining("bad arguments"),
    });
    expect((await test.call("mcp__bad__work")).text).toBe("work did its work");
  });

  it("may hang: the call ends when its time is up, and the server is told", async () => {
    await using test = await testSession((folder) => [badServer("well", folder.path("log"))]);
    await expect(test.call("mcp__bad__work", { do: "hang" }, { signal: AbortSignal.timeout(200) })).rejects.toThrow(
      "timeout",
    );
    await expect.poll(() => readFileSync(test.folder.path("log"), "utf8")).toContain("notifications/cancelled");
    expect((await test.call("mcp__bad__work")).text).toBe("work did its work");
  });
});

describe("an MCP server that dies", () => {
  it("is started again once, and then reported and left", async () => {
    await using test = await testSession(() => [badServer("well")]);
    expect(await test.call("mcp__bad__work", { do: "die" })).toMatchObject({ isError: true });
    await expect
      .poll(() => test.notices)
      .toEqual(["The MCP server bad died (exit code 7: last words) and is started again."]);
    await expect.poll(() => test.session.servers[0]?.state).toBe("running");
    expect((await test.call("mcp__bad__work")).text).toBe("work did its work");

    const tool = test.tool("mcp__bad__work");
    expect(await test.call("mcp__bad__work", { do: "die" })).toMatchObject({ isError: true });
    await expect.poll(() => test.session.tools).toEqual([]);
    expect(test.notices[1]).toBe("The MCP server bad died again and is not used any more: exit code 7: last words");
    expect(test.session.servers).toMatchObject([{ state: "failed", problem: "exit code 7: last words" }]);
    // A model that still knows the tool hears why it is gone.
    const context = {
      workspace: test.folder.workspace,
      signal: AbortSignal.timeout(5000),
      onProgress: () => {},
      show: () => {},
      toolCallId: "call",
      paused: <T>(work: () => Promise<T>) => work(),
      ask: async () => ({ allowed: true }) as const,
    };
    expect(await tool.execute({}, context)).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining("does not run") }],
    });
  });

  it("is heard to the end", async () => {
    await using test = await testSession(() => [badServer("well")]);
    expect((await test.call("mcp__bad__work", { do: "answer-and-die" })).text).toHaveLength(1_000_000);
  });

  it("is waited for while it starts again", async () => {
    await using test = await testSession(() => [badServer("well")]);
    await test.call("mcp__bad__work", { do: "die" });
    await expect.poll(() => test.notices.length).toBe(1);
    const tool = test.session.tools[0];
    if (tool !== undefined) expect((await test.call(tool.name)).text).toBe("work did its work");
  });
});

describe("the end of an MCP server", () => {
  // After two seconds it would be ended by a signal. Measured again when the machine is busy for a moment.
  it("comes by itself when stdin ends", { retry: 2 }, async () => {
    const test = await testSession((folder) => [badServer("well", folder.path("marker-file"))]);
    const marker = test.folder.path("marker-file");
    expect(processesWith(marker).length).toBeGreaterThan(0);
    const start = performance.now();
    await test.session.close();
    expect(performance.now() - start).toBeLessThan(1900);
    await expect.poll(() => processesWith(marker)).toEqual([]);
    await test[Symbol.asyncDispose]();
  });

  it("is made to come when it is deaf, with everything it started", async () => {
    const test = await testSession((folder) => [badServer("deaf", folder.path("marker-file"))]);
    const marker = test.folder.path("marker-file");
    await test.session.close();
    await expect.poll(() => processesWith(marker)).toEqual([]);
    await test[Symbol.asyncDispose]();
  });
});

describe("servers of a project", () => {
  it("at a URL are not reached without the network, and of two with one name the first is used", async () => {
    const http = urlServer("far", "https://far.example/mcp", { origin: "project" });
    await using test = await testSession(() => [
      badServer("well"),
      { ...badServer("refuse"), origin: "project" },
      http,
    ]);
    expect(test.session.servers.map(({ name, state }) => `${name} ${state}`)).toEqual(["bad running"]);
    expect(test.notices).toEqual([
      expect.stringContaining("two MCP servers with the name bad"),
      expect.stringContaining("far.example"),
    ]);
  });
});
