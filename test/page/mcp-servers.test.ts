// The MCP servers of our agent on the page of a thread: one that connects, one that failed and is started again, one that needs a log-in.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { guardedServer } from "../../packages/agent/src/mcp/testing/guarded-server.ts";
import { oauthServer } from "../../packages/agent/src/mcp/testing/oauth-server.ts";
import { root } from "../support/host-process.ts";
import { pageTests } from "./open-thread.ts";

const tests = pageTests();
const server = join(root, "packages/agent/src/mcp/testing/full-server.mjs");
/** Runs only where the file `licence` is. */
const picky = `test -e licence || { echo "no licence" >&2; exit 3; }; exec "$0" "$1"`;

it("are seen with their state, started again, and logged in to; an agent that does not tell shows none", async () => {
  await using oauth = await oauthServer();
  await using guarded = await guardedServer(oauth);
  await using thread = await tests.openThreadOnOwnHost({
    // The model is never asked. Without a session bus, no key ring of this machine gets the log-in.
    env: { ANTHROPIC_API_KEY: "key", ANTHROPIC_BASE_URL: guarded.url("/"), DBUS_SESSION_BUS_ADDRESS: undefined },
    config: {
      mcpServers: {
        picky: { command: "sh", args: ["-c", picky, process.execPath, server] },
        late: { command: process.execPath, args: [server, "./go"] },
        far: { type: "http", url: guarded.url("/mcp") },
      },
    },
  });
  const { page, host, screen } = thread;
  const details = page.getByRole("complementary", { name: "Details" });
  if ((await details.count()) === 0) await page.getByRole("button", { name: "Details", exact: true }).click();
  await details.getByRole("button", { name: "Diagnostics" }).click();
  await details.getByText("Last output").waitFor();
  expect(await details.getByText("MCP").count()).toBe(0);

  const cwd = host.folder.in("with-servers");
  mkdirSync(cwd);
  const created = await screen.ask("session.create", { agent_id: "signalbox", cwd });
  await thread.goTo(`#/thread/${created.thread_id}`);
  const row = (name: string) => details.getByRole("group", { name: `MCP server ${name}` });
  await row("late")
    .getByText(/^connecting, [1-9]\d* s$/)
    .waitFor();
  writeFileSync(join(cwd, "go"), "");
  await row("late").getByText("ready, 2 tools").waitFor();

  await row("picky").getByText("failed", { exact: true }).waitFor();
  await row("picky").getByText("no licence").waitFor();
  writeFileSync(join(cwd, "licence"), "");
  await row("picky").getByRole("button", { name: "Restart picky" }).click();
  await row("picky").getByText("ready, 2 tools").waitFor();
  await expect.poll(() => row("picky").getByText("no licence").count()).toBe(0);

  await row("far").getByText("needs log-in").waitFor();
  await row("far").getByRole("button", { name: "Log in to far" }).click();
  const question = page.getByRole("group", { name: "Question" });
  await question.getByText("Log in to the MCP server far").waitFor();
  const [site] = await Promise.all([page.context().waitForEvent("page"), question.getByRole("link").click()]);
  await site.getByText("Signalbox has got the log-in.").waitFor();
  await row("far").getByText("ready, 1 tool").waitFor();
  await expect.poll(() => row("far").getByRole("button", { name: "Log in to far" }).count()).toBe(0);
  // The buttons do not name the thread.
  await expect.poll(() => page.title()).toBe("Untitled · Signalbox");
  expect(thread.problems).toEqual([]);
});
