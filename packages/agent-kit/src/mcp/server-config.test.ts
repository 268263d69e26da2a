import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { mcpServersFromClient, mcpServersFromConfig, readMcpJson } from "./server-config.ts";

const filter = { include: undefined, exclude: [] };

describe("MCP servers of the client", () => {
  it("are read from the shapes of session/new", () => {
    expect(
      mcpServersFromClient([
        { name: "a", command: "/bin/a", args: ["x"], env: [{ name: "K", value: "v" }] },
        { type: "http", name: "b", url: "https://b.example/mcp", headers: [{ name: "X", value: "y" }] },
        { type: "sse", name: "c", url: "https://c.example", headers: [] },
        { type: "http", name: "d", url: "ftp://d.example", headers: [] },
      ]),
    ).toEqual({
      servers: [
        { type: "stdio", origin: "client", filter, name: "a", command: "/bin/a", args: ["x"], env: { K: "v" } },
        { type: "http", origin: "client", filter, name: "b", url: "https://b.example/mcp", headers: { X: "y" } },
        { type: "sse", origin: "client", filter, name: "c", url: "https://c.example", headers: {} },
      ],
      problems: [expect.stringContaining("ftp://d.example is not an http")],
    });
  });
});

describe("MCP servers of a config", () => {
  const read = (value: unknown, environment: Record<string, string> = {}) =>
    mcpServersFromConfig(value, { origin: "user", place: "config.json", environment });

  it("are read from the usual shape", () => {
    expect(
      read({
        a: { command: "a" },
        b: { type: "http", url: "https://b.example" },
        c: { type: "stdio", command: "c", args: ["1"], env: { K: "v" } },
      }),
    ).toEqual({
      servers: [
        { type: "stdio", origin: "user", filter, name: "a", command: "a", args: [], env: {} },
        { type: "http", origin: "user", filter, name: "b", url: "https://b.example", headers: {} },
        { type: "stdio", origin: "user", filter, name: "c", command: "c", args: ["1"], env: { K: "v" } },
      ],
      problems: [],
    });
    expect(read(undefined)).toEqual({ servers: [], problems: [] });
  });

  it.each([
    [[], "must be an object of servers"],
    [{ a: 1 }, "mcpServers.a must be an object"],
    [{ a: {} }, "needs a command, or a url"],
    [{ a: { command: "a", args: "x" } }, "mcpServers.a.args must be a list"],
    [{ a: { command: "a", env: { K: 1 } } }, "mcpServers.a.env must be an object of texts"],
    [{ a: { url: "nonsense" } }, "not an http or https URL"],
    [{ a: { type: "ws", url: "https://x.example" } }, 'type "ws" is not supported'],
    [{ a: { url: "https://x.example", oauth: 1 } }, "mcpServers.a.oauth must be an object"],
    [{ a: { url: "https://x.example", oauth: { clientId: 1 } } }, "oauth.clientId must be a text"],
    [{ a: { url: "https://x.example", oauth: { callbackPort: 0 } } }, "oauth.callbackPort must be a port"],
    [{ a: { url: "https://x.example", oauth: { scopes: "a" } } }, "oauth.scopes must be a list"],
    [{ a: { url: "https://x.example", headers: [] } }, "headers must be an object"],
    [{ a: { command: "a", includeTools: "x" } }, "mcpServers.a.includeTools must be a list of names"],
    [{ a: { command: "a", excludeTools: [1] } }, "mcpServers.a.excludeTools must be a list of names"],
  ])("say what is wrong with %j", (value, words) => {
    expect(read(value)).toEqual({ servers: [], problems: [expect.stringContaining(words)] });
  });

  it("take the others when one is wrong", () => {
    expect(read({ bad: {}, good: { command: "a" } }).servers).toMatchObject([{ name: "good" }]);
  });

  it("may use variables of the environment", () => {
    const config = { a: { command: "a", env: { T: "${SOME_TOKEN}", U: "${NOT_SET:-x}" } } };
    expect(read(config, { SOME_TOKEN: "secret-value" }).servers).toMatchObject([
      { env: { T: "secret-value", U: "x" } },
    ]);
  });
});

describe(".mcp.json", () => {
  it("is read where it is, and may be missing", () => {
    const folder = mkdtempSync(join(tmpdir(), "signalbox-mcp-"));
    const put = (text: string) => writeFileSync(join(folder, ".mcp.json"), text);
    expect(readMcpJson(folder, {}, [])).toEqual({ servers: [], problems: [] });
    put('{"mcpServers": {"a": {"command": "a"}}}');
    expect(readMcpJson(folder, {}, [])).toMatchObject({ servers: [{ name: "a", origin: "project" }], problems: [] });
    put("{");
    expect(readMcpJson(folder, {}, [])).toMatchObject({
      servers: [],
      problems: [expect.stringContaining("not valid JSON")],
    });
    rmSync(folder, { recursive: true });
  });
});
