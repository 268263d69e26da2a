// A host in this process, with a thread in `project`, and with another thread whose turn never ends, so that it shows whether anything disturbed it.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type HostOptions, startHost } from "../../packages/host/src/start-host.ts";
import { fakeAgentFile, type Step, script } from "./fake-agent/script.ts";
import type { Ready } from "./host-process.ts";
import { TestScreen } from "./screen.ts";

interface Options {
  /** The content of config.json. */
  readonly config: object;
  /** How Signalbox's own agents are started. */
  readonly own?: Pick<HostOptions["own"], "command" | "args">;
}

export class HostInThisProcess implements AsyncDisposable {
  readonly ready: Ready;
  readonly #folder: string;
  readonly #stop: () => Promise<void>;
  screen: TestScreen;
  #undisturbed = "";
  #prompts = 0;

  private constructor(ready: Ready, folder: string, screen: TestScreen, stop: () => Promise<void>) {
    this.ready = ready;
    this.#folder = folder;
    this.screen = screen;
    this.#stop = stop;
  }

  static async start(folder: string, { config, own }: Options): Promise<HostInThisProcess> {
    for (const name of ["data", "project", "other"]) mkdirSync(join(folder, name));
    writeFileSync(join(folder, "data/config.json"), JSON.stringify(config));
    const fake = { id: "fake", label: "Fake", command: process.execPath, args: ["--no-warnings", fakeAgentFile] };
    const host = await startHost({
      dataFolder: join(folder, "data"),
      own: { command: process.execPath, args: [], ...own, version: "0" },
      agents: [fake],
      host: "127.0.0.1",
      port: 0,
      pageFolder: folder,
    });
    const ready = { ...host, pid: process.pid, data_dir: host.dataFolder };
    const started = new HostInThisProcess(ready, folder, await TestScreen.connect(ready), () => host.stop());
    started.#undisturbed = await started.createThread("other");
    await started.submitSteps(started.#undisturbed, { say: "still here" }, { wait: 3_600_000 });
    while (!(await started.isUndisturbed()));
    return started;
  }

  /** Connects again: a fault may close the connection that it is in. */
  async reconnect(): Promise<void> {
    this.screen[Symbol.dispose]();
    this.screen = await TestScreen.connect(this.ready);
  }

  async createThread(folder: string, agentId = "fake"): Promise<string> {
    const cwd = join(this.#folder, folder);
    return (await this.screen.ask("session.create", { agent_id: agentId, cwd })).thread_id;
  }

  /** Returns the turn's id. */
  async submit(thread_id: string, text: string): Promise<string> {
    const prompt = [{ type: "text" as const, text }];
    return (await this.screen.ask("run.submit", { thread_id, prompt_id: `p${++this.#prompts}`, prompt })).turn_id;
  }

  submitSteps(threadId: string, ...steps: readonly Step[]): Promise<string> {
    return this.submit(threadId, script(...steps));
  }

  /** Whether the turn of the other thread still runs. */
  async isUndisturbed(): Promise<boolean> {
    const { rows } = await this.screen.query("turns.list", { thread_id: this.#undisturbed, limit: 1 });
    return rows[0]?.status === "running";
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.screen[Symbol.dispose]();
    await this.#stop();
  }
}
