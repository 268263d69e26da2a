// Our agent with a scripted model behind real HTTP, and a session in a folder of its own.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { AgentClient, type AgentClientOptions } from "./agent-process.ts";
import { TemporaryFolder } from "./host-process.ts";
import { ModelServer, type Script } from "./model-server/model-server.ts";

/** A folder, a model and an agent with a session in that folder. */
export class AgentStage implements AsyncDisposable {
  readonly folder = new TemporaryFolder();
  readonly project: string;
  readonly server: ModelServer;
  agent!: AgentClient;
  sessionId = "";

  private constructor(server: ModelServer) {
    this.server = server;
    this.project = this.folder.in("project");
    mkdirSync(this.project);
  }

  static async open(
    script: Script,
    options: Partial<AgentClientOptions> & { readonly config?: object; readonly flags?: readonly string[] } = {},
  ): Promise<AgentStage> {
    const stage = new AgentStage(await ModelServer.start(script));
    const { config, flags, ...rest } = options;
    const home = stage.folder.in("home");
    mkdirSync(home);
    if (config !== undefined) writeFileSync(join(home, "config.json"), JSON.stringify(config));
    stage.put("a.txt", "alpha\n");
    stage.put("b.txt", "beta\n");
    stage.agent = await AgentClient.start({
      home,
      flags: flags ?? ["--provider", "anthropic", "--model", "claude-sonnet-4-5"],
      ...rest,
      env: { ANTHROPIC_API_KEY: "key", ANTHROPIC_BASE_URL: stage.server.url, ...rest.env },
    });
    stage.sessionId = (await stage.agent.newSession(stage.project)).sessionId;
    return stage;
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

  async [Symbol.asyncDispose](): Promise<void> {
    await this.agent[Symbol.asyncDispose]();
    await this.server[Symbol.asyncDispose]();
    this.folder[Symbol.dispose]();
  }
}
