// Our agent with a scripted model behind real HTTP, and a session in a folder of its own. The tests of a file that start it alike share its
// process, one after the other: its start costs more than most turns.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { AgentClient, type AgentClientOptions } from "./agent-process.ts";
import { TemporaryFolder } from "./host-process.ts";
import { ModelServer, type Script } from "./model-server/model-server.ts";

/** A running agent with its home and its model. */
class RunningAgent implements AsyncDisposable {
  readonly folder: TemporaryFolder;
  readonly server: ModelServer;
  readonly client: AgentClient;

  private constructor(folder: TemporaryFolder, server: ModelServer, client: AgentClient) {
    this.folder = folder;
    this.server = server;
    this.client = client;
  }

  static async start(options: Omit<AgentClientOptions, "home">): Promise<RunningAgent> {
    const folder = new TemporaryFolder();
    mkdirSync(folder.in("home"));
    const server = await ModelServer.start([]);
    const env = { ANTHROPIC_API_KEY: "key", ANTHROPIC_BASE_URL: server.url, ...options.env };
    const client = await AgentClient.start({ ...options, env, home: folder.in("home") });
    return new RunningAgent(folder, server, client);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.client[Symbol.asyncDispose]();
    await this.server[Symbol.asyncDispose]();
    this.folder[Symbol.dispose]();
  }
}

/** Agents that no test uses now, by how they were started. */
const idle = new Map<string, RunningAgent[]>();

/** Ends them. */
export async function stopIdleAgents(): Promise<void> {
  const all = [...idle.values()].flat();
  idle.clear();
  await Promise.all(all.map((running) => running[Symbol.asyncDispose]()));
}

type StageOptions = Omit<Partial<AgentClientOptions>, "home"> & {
  /** Or made from the address of the model. */
  readonly config?: object | ((url: string) => object);
  /** Fills the project before the session begins: what changes a repository's settings while a command runs may end the command (ADR 25). */
  readonly prepare?: (project: string) => void;
};

/** A folder, a model and an agent with a session in that folder. */
export class AgentStage implements AsyncDisposable {
  readonly folder = new TemporaryFolder();
  readonly project: string;
  readonly #running: RunningAgent;
  readonly #key: string;
  sessionId = "";

  private constructor(running: RunningAgent, key: string) {
    this.#running = running;
    this.#key = key;
    this.project = this.folder.in("project");
    mkdirSync(this.project);
  }

  static async open(script: Script, options: StageOptions = {}): Promise<AgentStage> {
    const { config, prepare, permission, files, elicit, ...rest } = options;
    const start = { flags: ["--provider", "anthropic", "--model", "claude-sonnet-4-5"], ...rest };
    const key = JSON.stringify(start);
    const running = idle.get(key)?.pop() ?? (await RunningAgent.start(start));
    running.server.use(script);
    running.client.answerWith({
      ...(permission ? { permission } : {}),
      ...(files ? { files } : {}),
      ...(elicit ? { elicit } : {}),
    });
    const stage = new AgentStage(running, key);
    // It is read when a session begins.
    const file = join(stage.home, "config.json");
    if (config === undefined) rmSync(file, { force: true });
    else writeFileSync(file, JSON.stringify(typeof config === "function" ? config(running.server.url) : config));
    stage.put("a.txt", "alpha\n");
    stage.put("b.txt", "beta\n");
    prepare?.(stage.project);
    stage.sessionId = (await stage.agent.newSession(stage.project)).sessionId;
    return stage;
  }

  /** Where the agent has its sessions and its config. */
  get home(): string {
    return this.#running.folder.in("home");
  }

  get agent(): AgentClient {
    return this.#running.client;
  }

  get server(): ModelServer {
    return this.#running.server;
  }

  put(name: string, text: string): void {
    writeFileSync(join(this.project, name), text);
  }

  prompt(text: string) {
    return this.agent.prompt(this.sessionId, text);
  }

  /** What the model got back from its tools with its last request. */
  results(index = -1): readonly string[] {
    return (this.server.requests.at(index)?.messages ?? []).flatMap(({ toolResults = [] }) =>
      toolResults.map(({ text }) => text),
    );
  }

  /** Ends the session. The agent is for the next test, unless it has ended. */
  async [Symbol.asyncDispose](): Promise<void> {
    const isClosed = await this.agent.close(this.sessionId).catch(() => false);
    if (isClosed) idle.set(this.#key, [...(idle.get(this.#key) ?? []), this.#running]);
    else await this.#running[Symbol.asyncDispose]();
    this.folder[Symbol.dispose]();
  }
}
