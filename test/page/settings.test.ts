// Settings as forms: keys, agents of one's own, MCP servers, sandbox and limits. The file behind them keeps what else is in it.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterEach, beforeAll, expect, it } from "vitest";
import { closePages, openPage, sharedBrowser } from "../support/browser.ts";
import { fakeAgentFile } from "../support/fake-agent/script.ts";
import { run } from "../support/fake-host.ts";
import { HostProcess, root, TemporaryFolder } from "../support/host-process.ts";
import { LateAnswers } from "../support/late-answers.ts";
import { smallAgent } from "../support/package-registry.ts";
import { TestScreen } from "../support/screen.ts";
import { chooseOption } from "./list-box.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await sharedBrowser();
});
afterEach((test) => closePages(browser, test));

const mcpServer = join(root, "packages/agent/src/mcp/testing/misbehaving-server.mjs");

const models = { anthropic: { models: { "claude-next": { cost: { input: 1, output: 2 } } } } };

/** A registry with one agent, which is an archive, and a list of models. */
async function serveRegistry(): Promise<AsyncDisposable & { readonly url: string }> {
  const folder = new TemporaryFolder();
  writeFileSync(folder.in("harbour"), smallAgent("Ahoy."), { mode: 0o755 });
  execFileSync("tar", ["-czf", folder.in("harbour.tar.gz"), "-C", folder.path, "harbour"]);
  const archive = readFileSync(folder.in("harbour.tar.gz"));
  folder[Symbol.dispose]();
  let modelLists = 0;
  const server = createServer((request, response) => {
    // The first list of models has none.
    if (request.url === "/models.json") return response.end(JSON.stringify(modelLists++ === 0 ? {} : models));
    if (request.url !== "/registry.json") return response.end(archive);
    const sha256 = createHash("sha256").update(archive).digest("hex");
    const target = { archive: `${url}/harbour.tar.gz`, cmd: "./harbour", sha256 };
    const platforms = ["linux-x86_64", "linux-aarch64", "darwin-x86_64", "darwin-aarch64"];
    const distribution = { binary: Object.fromEntries(platforms.map((platform) => [platform, target])) };
    const agent = {
      id: "harbour",
      name: "Harbour",
      version: "1.0.0",
      description: "An agent for harbours",
      distribution,
    };
    return response.end(JSON.stringify({ version: "1.0.0", agents: [agent] }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

it("changes config.json key by key, uses it without a restart, and touches no file that is wrong", async () => {
  using folder = new TemporaryFolder();
  mkdirSync(folder.in("data"));
  const file = folder.in("data/config.json");
  writeFileSync(file, '{\n    "agent_idle_s":   900,\n    "agents": {}\n}\n');
  const written = () => JSON.parse(readFileSync(file, "utf8")) as Record<string, unknown>;
  await using registry = await serveRegistry();
  await using host = await HostProcess.start(folder.in("data"), ["--port", "0"], {
    SIGNALBOX_ACP_REGISTRY_URL: `${registry.url}/registry.json`,
    SIGNALBOX_MODELS_URL: `${registry.url}/models.json`,
    DBUS_SESSION_BUS_ADDRESS: undefined,
    OPENROUTER_API_KEY: "sk-or-from-the-environment",
    OPENAI_API_KEY: undefined,
    // A key is tested when it is saved: this server accepts any.
    OPENAI_BASE_URL: registry.url,
  });
  const { page, problems } = await openPage(browser, "about:blank");
  const answers = await LateAnswers.on(page);
  await page.goto(host.ready.url);
  await page.goto(`${host.ready.url.replace(/#.*/, "")}#/settings`);
  const section = (name: string) => page.getByRole("region", { name, exact: true });

  // Keys: where each is, the environment first, never again whole.
  const keys = section("Models and keys");
  await keys.getByText(`kept in ${folder.in("data/keys.json")}`).waitFor();
  const openRouter = keys.getByRole("listitem").filter({ hasText: "OpenRouter" });
  await openRouter.getByText("key from the environment: OPENROUTER_API_KEY").waitFor();
  await expect.poll(() => openRouter.getByRole("button").count()).toBe(0);
  await keys.getByRole("button", { name: "Set key for OpenAI" }).click();
  await keys.getByLabel("Key for OPENAI_API_KEY").fill("two words");
  await keys.getByLabel("Key for OPENAI_API_KEY").press("Enter");
  await keys.getByRole("alert").getByText("A key is one word").waitFor();
  await keys.getByLabel("Key for OPENAI_API_KEY").fill("sk-0123456789-wxyz");
  await keys.getByLabel("Key for OPENAI_API_KEY").press("Enter");
  await keys.getByText("key ····wxyz").waitFor();
  await keys.getByRole("button", { name: "Remove the key of OpenAI" }).click();
  await keys.getByRole("listitem").filter({ hasText: "OpenAI" }).getByText("no key").waitFor();
  expect(readFileSync(folder.in("data/keys.json"), "utf8")).not.toContain("wxyz");

  // The list of models: its day and where it is from; a list that cannot be used says why, and the one before stays.
  await keys.getByText("The list of models, with their prices, is of 2026-11-01; it came with Signalbox.").waitFor();
  await keys.getByRole("button", { name: "Refresh the model list" }).click();
  await keys.getByRole("alert").getByText("it lists no model. The list before stays; try again later.").waitFor();
  await keys.getByRole("button", { name: "Refresh the model list" }).click();
  await keys.getByText(`, from ${registry.url}/models.json. Threads that begin now use it.`).waitFor();
  await expect.poll(() => keys.getByRole("alert").count()).toBe(0);

  // An agent of one's own is there immediately, with its environment, whose values do not come back.
  const agents = section("Agents");
  await agents.getByLabel("Id of the agent").fill("mine");
  await agents.getByLabel("Command of the agent").fill(`"${process.execPath}" ${fakeAgentFile}`);
  await agents.getByRole("button", { name: "Add agent" }).click();
  await agents.getByRole("button", { name: "Test mine" }).waitFor();
  await agents.getByLabel("Variable for mine").fill("TOKEN=hidden-value");
  await agents.getByRole("button", { name: "Set variable" }).click();
  await agents.locator(".variable", { hasText: "TOKEN" }).waitFor();
  expect(await page.content()).not.toContain("hidden-value");
  expect(written().agents).toEqual({
    mine: { command: process.execPath, args: [fakeAgentFile], env: { TOKEN: "hidden-value" } },
  });
  await agents.getByRole("button", { name: "Test mine" }).click();
  await agents.getByRole("status").getByText("It works.").waitFor();

  // MCP servers: tools of one, the problem of another, one that is off.
  const mcp = section("MCP servers");
  for (const [name, place] of [
    ["tools", `${process.execPath} ${mcpServer}`],
    ["broken", `${process.execPath} ${mcpServer} refuse`],
  ] as const) {
    await mcp.getByLabel("Name of the MCP server").fill(name);
    await mcp.getByLabel("Command or address of the MCP server").fill(place);
    await mcp.getByRole("button", { name: "Add server" }).click();
    await mcp.getByLabel(`Use ${name}`).waitFor();
  }
  await mcp.getByRole("button", { name: "Test the servers" }).click();
  const row = (name: string) => mcp.getByRole("listitem").filter({ hasText: name });
  await row("tools").getByText("work").waitFor();
  await row("broken").getByText("no configuration found").waitFor();
  const tool = mcp.getByRole("group", { name: "Tools of tools" }).getByLabel("work");
  await tool.click();
  await expect.poll(written).toMatchObject({ mcpServers: { tools: { excludeTools: ["work"] } } });
  await mcp.getByRole("button", { name: "Test the servers" }).click();
  await mcp.getByRole("button", { name: "Test the servers" }).waitFor();
  await expect.poll(() => tool.isChecked()).toBe(false);
  await expect.poll(() => tool.isEnabled()).toBe(true);
  await tool.click();
  await expect.poll(written).not.toMatchObject({ mcpServers: { tools: { excludeTools: ["work"] } } });
  await mcp.getByLabel("Use broken").click();
  await row("broken").getByText("off", { exact: true }).waitFor();
  expect(written()).toMatchObject({ mcpServers: { broken: { disabled: true } } });

  // Sandbox and limits; a wrong value is refused with its reason and not written.
  const reach = section("Sandbox and network").getByLabel("Network access of commands");
  await chooseOption(reach, "listed hosts");
  await section("Sandbox and network").getByLabel("Add to: Hosts that commands").fill("*.example.org");
  await page.keyboard.press("Enter");
  await expect.poll(() => written().sandbox).toEqual({ network: { allow: ["*.example.org"] } });
  const sandbox = section("Sandbox and network");
  await sandbox.getByLabel("Name of the credential").fill("github");
  await sandbox.getByLabel("Host that gets the credential").fill("api.github.com");
  await sandbox.getByLabel("Variable that has the credential").fill("GITHUB_TOKEN");
  await sandbox.getByRole("button", { name: "Add credential" }).click();
  await sandbox.getByText("for api.github.com, as authorization, from the variable GITHUB_TOKEN").waitFor();
  expect(written().sandbox).toMatchObject({ credentials: { github: { host: "api.github.com", env: "GITHUB_TOKEN" } } });
  await sandbox.getByRole("button", { name: "Remove the credential github" }).click();
  await expect.poll(() => written().sandbox).not.toMatchObject({ credentials: { github: {} } });
  await chooseOption(reach, "everything");
  await expect.poll(() => written().sandbox).toMatchObject({ network: true });
  const limits = section("Budget and limits");
  await limits.getByLabel("Session budget").fill("-1");
  await limits.getByLabel("Session budget").press("Enter");
  await limits.getByRole("alert").getByText('"limits.budget_usd" is wrong').waitFor();
  await limits.getByLabel("Session budget").fill("2.5");
  await limits.getByLabel("Session budget").press("Enter");
  await expect.poll(() => written().limits).toEqual({ budget_usd: 2.5 });
  await limits.getByLabel("Daily budget").fill("3");
  await limits.getByLabel("Daily budget").press("Enter");
  await expect.poll(() => written().day_budget_usd).toBe(3);

  // How long threads are kept: before it is saved, it says what would be deleted.
  const data = section("Data");
  const kept = data.getByLabel("Delete inactive threads after");
  await kept.fill("30");
  await data.getByText("0 threads would be deleted now").waitFor();
  expect(written().retention_days).toBeUndefined();
  answers.hold("config.get");
  await data.getByRole("button", { name: "Save" }).click();
  await expect.poll(() => written().retention_days).toBe(30);
  // Changed again while the page still reads what it saved.
  await expect.poll(() => answers.isHeld("config.get")).toBe(true);
  await kept.fill("");
  answers.letThrough("config.get");
  await data.getByRole("button", { name: "Keep all threads" }).click();
  await expect.poll(() => written().retention_days).toBeUndefined();
  expect(readFileSync(file, "utf8")).toContain('    "agent_idle_s":   900,');

  // A day's money that is spent: a bar in Details and in the statistics, and no further prompt.
  using screen = await TestScreen.connect(host.ready);
  const created = await screen.ask("session.create", { agent_id: "mine", cwd: folder.path, title: "Dear" });
  await screen.request({ control: "tvx.subscribe", stream: "thread", thread_id: created.thread_id });
  const usage = { used: 76_000, size: 200_000, cost: { amount: 3.25, currency: "USD" } };
  await run(screen, created.thread_id, { update: { sessionUpdate: "usage_update", ...usage } });
  const here = host.ready.url.replace(/#.*/, "");
  // What the host cannot answer is said, and asked for again.
  const failing = ["budgets.get", "processes.list", "changed_files.list", "thread_costs.list", "facets.list"];
  for (const name of failing) answers.fail(name);
  const isMissing = (what: string) =>
    page.getByRole("alert").getByText(`${what} could not be loaded: The disk is busy.`).waitFor();
  await page.goto(`${here}#/thread/${created.thread_id}`);
  await isMissing("The budgets");
  await isMissing("The changed files");
  await page.getByRole("button", { name: "Diagnostics" }).click();
  await isMissing("The processes");
  await page.goto(`${here}#/tool-calls`);
  await isMissing("What can be chosen here");
  await page.goto(`${here}#/statistics`);
  await isMissing("The costs by thread");
  answers.fail("threads.list");
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Command or thread" }).fill("Dear");
  await isMissing("Older threads");
  await page.keyboard.press("Escape");
  for (const name of [...failing, "threads.list"]) answers.letThrough(name);
  await page.goto(`${here}#/thread/${created.thread_id}`);
  const budget = page.getByRole("meter", { name: "Budget of today" });
  await expect.poll(() => budget.getAttribute("data-level")).toBe("full");
  await page.getByText("$3.25 of $3.00").waitFor();
  const prompt = page.getByLabel("Prompt", { exact: true });
  await prompt.fill("Go on");
  await prompt.press("Enter");
  await page.getByRole("alert").getByText("have cost $3.25, and the budget of a day is $3.00").waitFor();
  await page.goto(`${here}#/statistics`);
  await page.getByRole("row", { name: "Dear mine 1 $3.25 38 % of 200 k" }).waitFor();
  await budget.waitFor();
  await expect.poll(() => page.getByRole("alert").count()).toBe(0);
  await page.goto(`${here}#/settings`);

  // The ACP registry: a newer list, and an agent of it by one click, its checksum checked.
  await agents.getByText("The list of the ACP registry is of 2026-10-01").waitFor();
  await agents.getByRole("button", { name: "Refresh the list" }).click();
  await agents.getByText("and has 1 agents.").waitFor();
  await agents.getByText(/\d+ more, not installed/).click();
  const listed = agents.getByRole("listitem").filter({ hasText: "Harbour" });
  await listed.getByText("An agent for harbours").waitFor();
  await listed.getByRole("button", { name: "Install Harbour" }).click();
  await agents.getByRole("button", { name: "Sessions of Harbour" }).waitFor();

  // By hand: a file that is wrong is said, and not overwritten.
  writeFileSync(file, "{ broken");
  await page.reload();
  await page.getByText("config.json is not JSON").first().waitFor();
  await chooseOption(reach, "everything");
  await section("Sandbox and network").getByRole("alert").waitFor();
  expect(readFileSync(file, "utf8")).toBe("{ broken");
  expect(problems).toEqual([]);
});
