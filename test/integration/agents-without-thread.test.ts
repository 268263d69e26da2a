// Agents that the host starts without a thread, for a test, a log-in or a list of sessions: in an empty private folder, and sandboxed as their threads are.
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { HostProcess, TemporaryFolder } from "../support/host-process.ts";
import { TestScreen } from "../support/screen.ts";

/** Answers with where it runs, and with whether it could write outside the sandbox. */
const agent = `
const fs = require("node:fs");
let wrote = true;
try { fs.writeFileSync(process.argv[2] + "/" + process.pid, ""); } catch { wrote = false; }
const facts = JSON.stringify({
  cwd: process.cwd(),
  mode: (fs.statSync(".").mode & 0o777).toString(8),
  files: fs.readdirSync("."),
  wrote,
});
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method } = JSON.parse(line);
  const results = {
    initialize: {
      protocolVersion: 1,
      agentInfo: { name: "a", version: facts },
      agentCapabilities: { sessionCapabilities: { list: {} } },
      authMethods: [{ id: "page", name: "Page" }],
    },
    "session/new": { sessionId: "s" },
    "session/list": { sessions: [{ sessionId: "s", cwd: "/", title: facts }] },
  };
  if (method === "authenticate") console.error("Please visit https://log.in/page?code=1 now");
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, result: results[method] ?? {} }));
});`;

interface Facts {
  readonly cwd: string;
  readonly mode: string;
  readonly files: readonly string[];
  readonly wrote: boolean;
}

describe("an agent that is started without a thread", () => {
  const folder = new TemporaryFolder();
  const outside = mkdtempSync("/var/tmp/signalbox-outside-");
  let host: HostProcess;
  let screen: TestScreen;

  beforeAll(async () => {
    mkdirSync(folder.in("data"));
    writeFileSync(folder.in("agent.cjs"), agent);
    const row = { command: process.execPath, args: [folder.in("agent.cjs"), outside] };
    const agents = { inside: { ...row, sandbox: true }, outside: row };
    writeFileSync(folder.in("data/config.json"), JSON.stringify({ agents }));
    host = await HostProcess.start(folder.in("data"));
    screen = await TestScreen.connect(host.ready);
  });

  afterAll(async () => {
    screen[Symbol.dispose]();
    await host.stop();
    folder[Symbol.dispose]();
    rmSync(outside, { recursive: true });
  });

  const expectPrivate = (text: string | null | undefined, wrote: boolean) => {
    const facts = JSON.parse(text ?? "") as Facts;
    expect(facts).toEqual({ cwd: facts.cwd, mode: "700", files: [], wrote });
    expect(facts.cwd).toMatch(new RegExp(`^${folder.in("data/worktrees")}/empty-\\w+$`));
  };

  it.each([
    ["inside", false],
    ["outside", true],
  ])("is tested and listed in an empty private folder, %s as its threads are", async (agent_id, wrote) => {
    const { test } = await screen.ask("agents.test", { agent_id });
    expect(test).toMatchObject({ readiness: "ready" });
    expectPrivate(test.version, wrote);
    const { rows } = await screen.query("agent_sessions.list", { agent_id });
    expectPrivate(rows[0]?.title, wrote);
    expect(readdirSync(join(folder.in("data"), "worktrees"))).toEqual([]);
  });

  it("names the page of a log-in, which the person opens outside", async () => {
    const page = screen.waitFor(
      (message) => message.type === "host.progress" && message.message.includes("open https://log.in/page?code=1"),
    );
    const { test } = await screen.ask("agents.log_in", { agent_id: "inside", method_id: "page" });
    expectPrivate(test.version, false);
    await page;
  });
});
