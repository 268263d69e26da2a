// Starts a host whose only extra agent is the fake one, for tests: creates a thread, runs a script, waits for its end.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { applyChange, applySnapshot, type ServerMessage, type ThreadView } from "@signalbox/protocol";
import { fakeAgentFile, type Step, script } from "./fake-agent/script.ts";
import { HostProcess, TemporaryFolder } from "./host-process.ts";
import { TestScreen } from "./screen.ts";

export interface FakeHostOptions {
  /** Words for the fake agent's command line. */
  readonly agentArgs?: readonly string[];
  /** Further flags of the host. */
  readonly args?: readonly string[];
  /** Further keys of config.json. */
  readonly config?: object;
  /** Further variables of its environment. */
  readonly env?: NodeJS.ProcessEnv;
  /** Fills the data folder before the host starts. */
  readonly prepare?: (dataFolder: string) => Promise<void>;
  /** Hears of each start, also of one after a restart. */
  readonly onStart?: (host: FakeHost) => void;
}

export class FakeHost implements AsyncDisposable {
  readonly folder = new TemporaryFolder();
  readonly project: string;
  readonly #options: FakeHostOptions;
  /** Whose running host this one uses. */
  readonly #owner: FakeHost | null;
  readonly #guests = new Set<FakeHost>();
  #host: HostProcess | null = null;
  readonly #screens: TestScreen[] = [];
  readonly #threads: string[] = [];
  #onEnd = () => {};

  private constructor(options: FakeHostOptions, owner: FakeHost | null) {
    this.#options = options;
    this.#owner = owner;
    this.project = this.folder.in("project");
    mkdirSync(this.project);
    if (owner !== null) return;
    mkdirSync(this.folder.in("data"), { mode: 0o700 });
    this.#writeConfig(options);
  }

  #writeConfig({ agentArgs = [], config = {} }: FakeHostOptions): void {
    const fake = { command: process.execPath, args: ["--no-warnings", fakeAgentFile, ...agentArgs], label: "Fake" };
    const text = JSON.stringify({ agents: { fake }, ...config });
    writeFileSync(join(this.folder.in("data"), "config.json"), text, { mode: 0o600 });
  }

  /** Gives the running host another config. It holds for threads that begin later. */
  async configure(options: Pick<FakeHostOptions, "agentArgs" | "config">): Promise<void> {
    this.#writeConfig(options);
    using screen = await TestScreen.connect(this.process.ready);
    // It looks whether the file has changed when it is asked for it.
    await screen.query("config.get", {});
  }

  static async start(options: FakeHostOptions = {}): Promise<FakeHost> {
    const host = new FakeHost(options, null);
    await options.prepare?.(host.folder.in("data"));
    await host.restart();
    return host;
  }

  get process(): HostProcess {
    if (this.#owner !== null) return this.#owner.process;
    if (this.#host === null) throw new Error("the host is not running");
    return this.#host;
  }

  /** A project folder of its own on this running host. Disposing it closes its threads and leaves the host running. */
  guest(onEnd: () => void): FakeHost {
    const guest = new FakeHost(this.#options, this);
    this.#guests.add(guest);
    guest.#onEnd = onEnd;
    return guest;
  }

  /** Starts the host, or starts it again on the same data and port. */
  async restart(signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
    if (this.#guests.size > 1) throw new Error("another test uses this host now: start one with FakeHost.start");
    if (this.#owner !== null) return await this.#owner.restart(signal);
    const port = this.#host?.ready.port ?? 0;
    await this.#host?.stop(signal);
    this.#host = await HostProcess.start(
      this.folder.in("data"),
      ["--port", String(port), ...(this.#options.args ?? [])],
      this.#options.env,
    );
    this.#options.onStart?.(this);
  }

  async screen(): Promise<TestScreen> {
    const screen = await TestScreen.connect(this.process.ready);
    this.#screens.push(screen);
    return screen;
  }

  /** A thread with the fake agent, followed by the screen. */
  async thread(screen: TestScreen, cwd = this.project): Promise<string> {
    const created = await screen.ask("session.create", { agent_id: "fake", cwd });
    await screen.request({ control: "tvx.subscribe", stream: "thread", thread_id: created.thread_id });
    this.#threads.push(created.thread_id);
    return created.thread_id;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const screen of this.#screens) screen[Symbol.dispose]();
    if (this.#owner === null) await this.#host?.stop();
    else await this.#closeThreads();
    if (this.#owner !== null) this.#owner.#guests.delete(this);
    this.folder[Symbol.dispose]();
    this.#onEnd();
  }

  /** Also those that a client or a command began in its project: the next test finds no agent that runs. */
  async #closeThreads(): Promise<void> {
    using screen = await TestScreen.connect(this.process.ready);
    const { rows } = await screen.query("threads.list", { cwd: this.project });
    const all = new Set([...this.#threads, ...rows.map(({ id }) => id)]);
    await Promise.all([...all].map((thread_id) => screen.request({ control: "session.close", thread_id })));
  }
}

let prompts = 0;

/** Sends a script and returns its turn's id. */
export async function submit(screen: TestScreen, threadId: string, ...steps: readonly Step[]): Promise<string> {
  const prompt = [{ type: "text", text: script(...steps) }];
  const prompt_id = `prompt-${++prompts}`;
  const answer = await screen.ask("run.submit", { thread_id: threadId, prompt_id, prompt });
  return answer.turn_id;
}

/** Waits until a turn is over and returns its row. */
export async function turnEnd(screen: TestScreen, turnId: string) {
  const message = await screen.waitFor(
    (candidate) =>
      candidate.type === "tinyvex.update" &&
      candidate.stream === "turns" &&
      "row" in candidate &&
      candidate.row.turn_id === turnId &&
      candidate.row.ended_at !== null,
  );
  if (!("row" in message) || !("turn_id" in message.row)) throw new Error("not a turn");
  return message.row;
}

/** Runs a script to its end. */
export async function run(screen: TestScreen, threadId: string, ...steps: readonly Step[]) {
  return await turnEnd(screen, await submit(screen, threadId, ...steps));
}

/** The next question of the thread that is still open. */
export async function question(screen: TestScreen, threadId: string) {
  const message = await screen.waitFor(
    (candidate) =>
      candidate.type === "tinyvex.update" &&
      candidate.stream === "permissions" &&
      candidate.thread_id === threadId &&
      candidate.row.status === "pending" &&
      !viewOf(screen.received, threadId).permissions.some(
        (row) => row.permission_id === candidate.row.permission_id && row.status !== "pending",
      ),
  );
  if (message.type !== "tinyvex.update" || message.stream !== "permissions") throw new Error("not a question");
  return message.row;
}

/** The next question of the thread that wants more than yes or no and is still open. */
export async function elicitation(screen: TestScreen, threadId: string) {
  const message = await screen.waitFor(
    (candidate) =>
      candidate.type === "tinyvex.update" &&
      candidate.stream === "elicitations" &&
      candidate.thread_id === threadId &&
      candidate.row.status === "pending" &&
      !viewOf(screen.received, threadId).elicitations.some(
        (row) => row.elicitation_id === candidate.row.elicitation_id && row.status !== "pending",
      ),
  );
  if (message.type !== "tinyvex.update" || message.stream !== "elicitations") throw new Error("not a question");
  return message.row;
}

/** What a page would show after everything that came. */
export function viewOf(messages: readonly ServerMessage[], threadId: string): ThreadView {
  let view: ThreadView | null = null;
  for (const message of messages) {
    if (message.type === "tinyvex.snapshot" && message.stream === "thread" && message.thread_id === threadId) {
      view = applySnapshot(view, message);
    } else if (message.type === "tinyvex.update" || message.type === "tinyvex.finalize") {
      if (view !== null && message.stream !== "threads") view = applyChange(view, message);
    }
  }
  if (view === null) throw new Error("no snapshot came");
  return view;
}

/** The text of everything the agent said. */
export function said(screen: TestScreen, threadId: string): string {
  return viewOf(screen.received, threadId)
    .timeline.map((item) => (item.type === "message" && item.role === "assistant" ? item.text : ""))
    .join("");
}
