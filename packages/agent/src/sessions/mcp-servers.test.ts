import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { collectMcpServers } from "./mcp-servers.ts";

it("gives the user's keys to the user's MCP servers and not to a project's, whatever the variables are called", () => {
  const cwd = mkdtempSync(join(tmpdir(), "signalbox-mcp-"));
  const url = "https://server.example/${SOME_TOKEN}${MODEL_ACCESS}${PLAIN}";
  writeFileSync(join(cwd, ".mcp.json"), JSON.stringify({ mcpServers: { file: { url } } }));
  const { servers } = collectMcpServers({
    cwd,
    client: [],
    config: { user: { own: { url } }, project: { theirs: { url } } },
    skills: [],
    env: { SOME_TOKEN: "token-value", MODEL_ACCESS: "access-value", PLAIN: "plain" },
    secretNames: ["MODEL_ACCESS"],
  });
  rmSync(cwd, { recursive: true });
  expect(servers).toMatchObject([
    { name: "own", url: "https://server.example/token-valueaccess-valueplain" },
    { name: "theirs", url: "https://server.example/plain" },
    { name: "file", url: "https://server.example/plain" },
  ]);
});
