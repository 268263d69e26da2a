// An MCP server that a project names, run by `signalbox claude --project-server`: in the sandbox, without keys, network and our own data.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describeProjectServer } from "@signalbox/agent-kit";
import { expect, it } from "vitest";
import { root, TemporaryFolder } from "../support/host-process.ts";

it("runs a project's server in the sandbox: it talks over its streams, and reaches nothing outside or closed by a rule", async () => {
  using folder = new TemporaryFolder();
  // Not below the temp folder, which every command may write.
  const outside = mkdtempSync("/var/tmp/signalbox-outside-");
  mkdirSync(folder.in("project"));
  mkdirSync(folder.in("data"));
  writeFileSync(folder.in("data/token"), "the-token");
  const permissions = [{ deny: "path:**/.env" }, { ask: "path:asked, kind:edit" }];
  writeFileSync(folder.in("data/config.json"), JSON.stringify({ permissions }));
  const remembered = { decision: "deny", match: "path:noted", scope: { type: "folder", id: folder.in("project") } };
  writeFileSync(folder.in("data/permissions.json"), JSON.stringify([{ id: "1", created_at: 0, ...remembered }]));
  for (const name of [".env", "noted"]) writeFileSync(folder.in(`project/${name}`), "the-key");
  writeFileSync(folder.in("project/asked"), "as it was\n");
  const script = [
    "read -r line; echo said $line",
    `echo inside > ${folder.in("project/made")}`,
    `echo out > ${join(outside, "made")}`,
    `cat ${folder.in("data/token")} .env noted asked`,
    "echo changed > asked",
    'echo "[$SIGNALBOX_PROJECT_SERVER][$OPENAI_API_KEY][$GIVEN]"',
  ].join("\n");
  const server = describeProjectServer({
    command: "/bin/bash",
    args: ["-c", script],
    env: { GIVEN: "for it" },
    cwd: folder.in("project"),
    folders: [folder.in("project")],
    dataFolder: folder.in("data"),
    mode: "sandbox",
    network: false,
    secretNames: [],
  });
  const child = spawn(`${root}/signalbox`, ["claude", "--project-server"], {
    env: { ...process.env, OPENAI_API_KEY: "sk-secret", ...server },
    stdio: ["pipe", "pipe", "ignore"],
  });
  child.stdin.end("hello\n");
  const output = await text(child.stdout);
  expect(output).toContain("said hello\n");
  expect(output).toContain("[][][for it]");
  expect(output).not.toMatch(/the-token|the-key/);
  expect(output).toContain("as it was");
  expect(readFileSync(folder.in("project/asked"), "utf8")).toBe("as it was\n");
  expect(readFileSync(folder.in("project/made"), "utf8")).toBe("inside\n");
  expect(existsSync(join(outside, "made"))).toBe(false);
  rmSync(outside, { recursive: true });
});
