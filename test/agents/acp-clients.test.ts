// `signalbox acp` with real agents behind it: acpx and the client of ACP's own SDK drive it while a page watches, and all of them see the same items.
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { promisify } from "node:util";
import { methods, ndJsonStream, client as sdkClient } from "@agentclientprotocol/sdk";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { launchBrowser, openPage } from "../support/browser.ts";
import { fakeAgentFile, script, toolCall } from "../support/fake-agent/script.ts";
import { HostProcess, program, root, TemporaryFolder } from "../support/host-process.ts";
import { ModelServer } from "../support/model-server/model-server.ts";
import { AgentHome } from "./agent-drive.ts";
import { ClaudeHome, installClaudeSdk } from "./claude-home.ts";
import { goose, installAgent } from "./install-agents.ts";
import { type Steps, scriptedTurns } from "./scripted-turn.ts";

let browser: Browser;
let claudeModules = "";

beforeAll(async () => {
  const programs = await installAgent(goose);
  claudeModules = await installClaudeSdk();
  vi.stubEnv("PATH", `${programs}:${process.env.PATH}`);
  browser = await launchBrowser();
});

afterAll(() => browser.close());

interface Stage extends AsyncDisposable {
  readonly host: HostProcess;
  readonly work: TemporaryFolder;
}

/** A host whose agents find this model, with a folder that has the file a.txt. */
async function stage(home: AgentHome, env: Readonly<Record<string, string>>, work: TemporaryFolder): Promise<Stage> {
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  const data = new TemporaryFolder();
  const fake = { command: process.execPath, args: ["--no-warnings", fakeAgentFile], label: "Fake" };
  writeFileSync(data.in("config.json"), JSON.stringify({ agents: { fake } }));
  writeFileSync(work.in("a.txt"), "alpha\n");
  const host = await HostProcess.start(data.path);
  return {
    host,
    work,
    [Symbol.asyncDispose]: async () => {
      await host.stop();
      data[Symbol.dispose]();
      home[Symbol.dispose]();
    },
  };
}

/** What a client can show of a session: texts and calls, in order. */
interface Seen {
  readonly sessionId: string;
  readonly items: readonly string[];
}

/** Runs a prompt with acpx; gives what it wrote as JSON lines. */
async function withAcpx({ host, work }: Stage, agentId: string, prompt: string): Promise<Seen> {
  using home = new TemporaryFolder();
  const agent = `${process.execPath} ${program} acp --agent ${agentId} --data-dir ${host.ready.data_dir}`;
  const words = ["--approve-all", "--format", "json", "--json-strict", "exec", prompt];
  const args = [join(root, "node_modules/acpx/dist/cli.js"), "--cwd", work.path, "--agent", agent, ...words];
  const env = { ...process.env, HOME: home.path };
  const { stdout } = await promisify(execFile)(process.execPath, args, { env, timeout: 80_000 });
  const collected = new Items();
  let sessionId = "";
  for (const line of stdout.trim().split("\n")) {
    const { params } = JSON.parse(line) as { params?: { sessionId?: string; update?: Update } };
    if (params?.update === undefined) continue;
    sessionId = params.sessionId ?? sessionId;
    collected.add(params.update);
  }
  return { sessionId, items: collected.items };
}

/** Runs a prompt with the SDK's client, which allows what it is asked, while a page is open; then loads the session again. */
async function withSdk(
  { host, work }: Stage,
  agentId: string,
  prompt: string,
): Promise<Seen & { readonly again: readonly string[]; readonly page: Page }> {
  const args = [program, "acp", "--agent", agentId, "--data-dir", host.ready.data_dir];
  const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "ignore"] });
  const stream = ndJsonStream(
    Writable.toWeb(child.stdin) as WritableStream<Uint8Array>,
    Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>,
  );
  let collected = new Items();
  const { session, initialize } = methods.agent;
  const app = sdkClient({ name: "test" })
    .onNotification(methods.client.session.update, ({ params }) => collected.add(params.update as Update))
    .onRequest(methods.client.session.requestPermission, ({ params: { options } }) => {
      const { optionId } = options.find(({ kind }) => kind === "allow_once") ?? { optionId: "none" };
      return { outcome: { outcome: "selected" as const, optionId } };
    });
  const seen = await app.connectWith(stream, async (agent) => {
    await agent.request(initialize, { protocolVersion: 1, clientCapabilities: {} });
    const { sessionId } = await agent.request(session.new, { cwd: work.path, mcpServers: [] });
    const page = await watch(host, sessionId);
    await agent.request(session.prompt, { sessionId, prompt: [{ type: "text", text: prompt }] });
    const live = collected;
    collected = new Items();
    await agent.request(session.load, { sessionId, cwd: work.path, mcpServers: [] });
    return { sessionId, items: live.items, again: collected.items, page };
  });
  child.stdin.end();
  await once(child, "exit");
  return seen;
}

interface Update {
  readonly sessionUpdate: string;
  readonly toolCallId?: string;
  readonly status?: string;
  readonly content?: unknown;
}

/** Collects updates into what they amount to: a text, or a call with the status that it ended with. Prompts and thoughts are left out. */
class Items {
  readonly #texts: (string | { id: string; status: string })[] = [];

  add({ sessionUpdate, toolCallId = "", status, content }: Update): void {
    if (sessionUpdate === "agent_message_chunk") {
      const { text = "" } = content as { text?: string };
      const last = this.#texts.at(-1);
      if (typeof last === "string") this.#texts[this.#texts.length - 1] = last + text;
      else if (text !== "") this.#texts.push(text);
    } else if (sessionUpdate === "tool_call" || sessionUpdate === "tool_call_update") {
      const known = this.#texts.find((item) => typeof item === "object" && item.id === toolCallId);
      if (typeof known === "object") known.status = status ?? known.status;
      else this.#texts.push({ id: toolCallId, status: status ?? "pending" });
    }
  }

  get items(): readonly string[] {
    return this.#texts.map((item) => (typeof item === "string" ? `text ${item.trim()}` : `call ${item.status}`));
  }
}

/** What the page shows of a thread: texts of the agent and calls, in order. */
async function onPage(page: Page): Promise<readonly string[]> {
  return await page.locator(".timeline article").evaluateAll((articles) =>
    articles.flatMap((article) => {
      const label = article.getAttribute("aria-label") ?? "";
      if (label === "Agent") return [`text ${(article.textContent ?? "").trim()}`];
      const [, status] = /^Tool call: .*, ([a-z ]+)$/s.exec(label) ?? [];
      return label.startsWith("Tool call: ") ? [`call ${status ?? label}`] : [];
    }),
  );
}

async function watch({ ready }: HostProcess, sessionId: string): Promise<Page> {
  const { page } = await openPage(browser, ready.url);
  await page.goto(`http://127.0.0.1:${ready.port}/#/thread/${sessionId}`);
  await page.getByRole("region", { name: "Timeline" }).waitFor();
  return page;
}

async function everyoneSeesTheSame(place: Stage, agentId: string, prompt: string): Promise<readonly string[]> {
  const acpx = await withAcpx(place, agentId, prompt);
  const sdk = await withSdk(place, agentId, prompt);
  expect(acpx.items).toEqual(sdk.items);
  expect(sdk.again).toEqual(sdk.items);
  for (const page of [sdk.page, await watch(place.host, acpx.sessionId)]) {
    await expect.poll(() => onPage(page), { timeout: 30_000 }).toEqual(sdk.items);
    await page.context().close();
  }
  return sdk.items;
}

describe("acpx, the client of ACP's SDK and the page", () => {
  it("see the same items of Goose", async () => {
    using work = new TemporaryFolder();
    const steps: Steps = [
      { name: "shell", input: { command: "cat a.txt" } },
      { name: "write", input: { path: work.in("b.txt"), content: "by goose\n" } },
      "All done.",
    ];
    await using model = await ModelServer.start(scriptedTurns({ Begin: steps }));
    const home = new AgentHome("goose-acp");
    const env = {
      HOME: home.path,
      XDG_CONFIG_HOME: `${home.path}/config`,
      XDG_DATA_HOME: `${home.path}/data`,
      XDG_STATE_HOME: `${home.path}/state`,
      GOOSE_PROVIDER: "openai",
      GOOSE_MODEL: "gpt-4o",
      GOOSE_DISABLE_KEYRING: "1",
      OPENAI_HOST: model.url,
      OPENAI_API_KEY: "not-a-key",
    };
    await using place = await stage(home, env, work);
    const items = await everyoneSeesTheSame(place, "goose", "Begin");
    expect(items.filter((item) => item === "call completed")).toHaveLength(2);
    expect(items.at(-1)).toBe("text All done.");
    expect(readFileSync(work.in("b.txt"), "utf8")).toBe("by goose\n");
  });

  it("see the same items of Claude Code", async () => {
    using work = new TemporaryFolder();
    const steps: Steps = [
      { name: "Read", input: { file_path: work.in("a.txt") } },
      { name: "Bash", input: { command: "cat a.txt" } },
      "All done.",
    ];
    await using model = await ModelServer.start(scriptedTurns({ Begin: steps }));
    const home = new ClaudeHome(claudeModules, model.url);
    await using place = await stage(home, home.env, work);
    const items = await everyoneSeesTheSame(place, "claude", "Begin");
    expect(items).toEqual(["call completed", "call completed", "text All done."]);
  });

  it("see the same items of an agent that is scripted, the one that watches live too", async () => {
    using work = new TemporaryFolder();
    await using place = await stage(new AgentHome("fake-acp"), {}, work);
    const steps = [{ say: "one" }, toolCall("t", { title: "T", status: "completed" }), { say: "two" }];
    expect(await everyoneSeesTheSame(place, "fake", script(...steps))).toEqual([
      "text one",
      "call completed",
      "text two",
    ]);
  });
});
