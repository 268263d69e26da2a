// An MCP server that a project names, run by `signalbox claude --project-server`: in the sandbox, without keys, network and our own data.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describeProjectServer } from "@signalbox/agent-kit";
import { expect, it } from "vitest";
import { root, TemporaryFolder } from "../support/host-process.ts";

it("runs a project's server in the sandbox: it talks over its streams and reaches nothing outside", async () => {
  using folder = new TemporaryFolder();
  // Not below the temp folder, which every command may write.
  const outside = mkdtempSync("/var/tmp/signalbox-outside-");
  mkdirSync(folder.in("project"));
  mkdirSync(folder.in("data"));
  writeFileSync(folder.in("data/token"), "the-token");
  const script = [
    "read -r line; echo said $line",
    `echo inside > ${folder.in("project/made")}`,
    `echo out > ${join(outside, "made")}`,
    `cat ${folder.in("data/token")}`,
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
  expect(output).not.toContain("the-token");
  expect(readFileSync(folder.in("project/made"), "utf8")).toBe("inside\n");
  expect(existsSync(join(outside, "made"))).toBe(false);
  rmSync(outside, { recursive: true });
});
