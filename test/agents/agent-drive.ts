// A real agent in the hands of the built host, with a person who answers its questions.
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import type {
  AgentSessionRow,
  EventRow,
  PermissionRow,
  ServerMessage,
  TerminalRow,
  ThreadResult,
  ThreadSandbox,
  TimelineItem,
  ToolCallRow,
  TurnRow,
} from "@signalbox/protocol";
import { HostProcess, TemporaryFolder } from "../support/host-process.ts";
import { TestScreen } from "../support/screen.ts";

/** Chooses one of the kinds of answer that the agent offers. */
export type Person = (permission: PermissionRow) => "allow_once" | "reject_once";

/**
 * A home of its own for the agent. Not below /tmp, where one agent refuses to work and the sandbox lets everything be written; not in the checkout's
 * .toolchain, which no agent may write.
 */
export class AgentHome implements Disposable {
  readonly path: string;

  constructor(name: string) {
    this.path = mkdtempSync(`/var/tmp/signalbox-${name}-`);
  }

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}

interface DriveOptions {
  /** Whether the whole agent runs in the sandbox; as its row says without it. */
  readonly inside?: boolean;
  readonly config?: object;
  /** A folder with the Claude Agent SDK, which the host has in its data folder. */
  readonly claudeFolder?: string;
}

export class AgentDrive implements AsyncDisposable {
  readonly work = new TemporaryFolder();
  readonly #data: TemporaryFolder;
  readonly #agentId: string;
  #host: HostProcess;
  #screen: TestScreen;
  threadId = "";
  /** What the thread's row said when it was made. */
  sandbox: ThreadSandbox | null = null;

  private constructor(agentId: string, data: TemporaryFolder, host: HostProcess, screen: TestScreen) {
    this.#agentId = agentId;
    this.#data = data;
    this.#host = host;
    this.#screen = screen;
  }

  static async start(agentId: string, { inside, config = {}, claudeFolder }: DriveOptions = {}): Promise<AgentDrive> {
    const data = new TemporaryFolder();
    writeFileSync(data.in("config.json"), JSON.stringify(config));
    if (claudeFolder !== undefined) symlinkSync(claudeFolder, data.in("claude"));
    const host = await HostProcess.start(data.path);
    const drive = new AgentDrive(agentId, data, host, await TestScreen.connect(host.ready));
    const created = await drive.#screen.ask("session.create", {
      agent_id: agentId,
      cwd: drive.work.path,
      ...(inside !== undefined && { sandbox: inside }),
    });
    drive.threadId = created.thread_id;
    drive.sandbox = created.thread.sandbox;
    await drive.#follow();
    return drive;
  }

  /** The private home of the thread's agent. */
  get privateFolder(): string {
    return this.#data.in(`agent-homes/${this.threadId}`);
  }

  get agentId(): string {
    return this.#agentId;
  }

  /** Sends a prompt and answers what the agent asks until the turn is over. */
  async prompt(text: string, person: Person): Promise<TurnRow> {
    const prompt_id = `prompt-${this.#screen.received.length}`;
    const prompt = [{ type: "text", text }];
    const { turn_id } = await this.#screen.ask("run.submit", { thread_id: this.threadId, prompt_id, prompt });
    return await this.#answerUntilEnd(turn_id, person);
  }

  async #answerUntilEnd(turnId: string, person: Person): Promise<TurnRow> {
    const answered = new Set<string>();
    for (;;) {
      const news = await this.#screen.waitFor((message) => isEnd(message, turnId) || isQuestion(message, answered));
      if (news.type !== "tinyvex.update" || !("row" in news)) continue;
      if (news.stream === "turns") return news.row;
      if (news.stream !== "permissions") continue;
      answered.add(news.row.permission_id);
      await this.#answer(news.row, person(news.row));
    }
  }

  get screen(): TestScreen {
    return this.#screen;
  }

  /** The sessions that the agent itself remembers of the folder. */
  async agentSessions(): Promise<readonly AgentSessionRow[]> {
    const args = { agent_id: this.#agentId, cwd: this.work.path };
    return (await this.#screen.query("agent_sessions.list", args)).rows;
  }

  /** A thread that goes on from where this one stands; from now on the one that is driven. */
  async fork(): Promise<void> {
    await this.#turnTo(await this.#screen.ask("session.fork", { thread_id: this.threadId }));
  }

  /** Takes the thread out of the register and has it back from the agent, which remembers its session. */
  async forgetAndAdopt(): Promise<void> {
    const [known] = (await this.agentSessions()).filter(({ thread_id }) => thread_id === this.threadId);
    if (known === undefined) throw new Error("the agent does not list the session");
    // A running agent that can is asked to delete the session with the thread.
    await this.#screen.request({ control: "session.close", thread_id: this.threadId });
    await this.#screen.request({ control: "session.delete", thread_id: this.threadId });
    await this.adopt(known.session_id, known.cwd);
  }

  /** Makes a thread of a session that the agent remembers; from now on the one that is driven. */
  async adopt(session_id: string, cwd: string): Promise<void> {
    await this.#turnTo(await this.#screen.ask("session.adopt", { agent_id: this.#agentId, session_id, cwd }));
  }

  async #turnTo({ thread_id }: ThreadResult): Promise<void> {
    this.threadId = thread_id;
    await this.#follow();
  }

  /** The host goes down and comes back; the agent with it. */
  async restart(): Promise<void> {
    this.#screen[Symbol.dispose]();
    await this.#host.stop();
    this.#host = await HostProcess.start(this.#data.path);
    this.#screen = await TestScreen.connect(this.#host.ready);
    await this.#follow();
  }

  async messages(): Promise<readonly string[]> {
    const items = (await this.#rows("timeline.list")) as readonly TimelineItem[];
    return items.flatMap((item) =>
      item.type === "message" && item.kind === "message" ? [`${item.role}: ${item.text.trim()}`] : [],
    );
  }

  async toolCalls(): Promise<readonly ToolCallRow[]> {
    return (await this.#rows("tool_calls.list")) as readonly ToolCallRow[];
  }

  async permissions(): Promise<readonly PermissionRow[]> {
    return (await this.#rows("permissions.list")) as readonly PermissionRow[];
  }

  async terminals(): Promise<readonly TerminalRow[]> {
    return (await this.#rows("terminals.list")) as readonly TerminalRow[];
  }

  /** The methods that the agent asked of the host, in order. */
  async requestedMethods(): Promise<readonly string[]> {
    const events = (await this.#rows("events.list")) as readonly EventRow[];
    return events
      .filter(({ kind }) => kind === "signalbox/agent_request")
      .map(({ payload }) => (payload as { readonly method: string }).method);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#screen[Symbol.dispose]();
    await this.#host.stop();
    this.work[Symbol.dispose]();
    this.#data[Symbol.dispose]();
  }

  async #follow(): Promise<void> {
    await this.#screen.request({ control: "tvx.subscribe", stream: "thread", thread_id: this.threadId });
  }

  async #answer({ permission_id, options }: PermissionRow, kind: string): Promise<void> {
    const option = options.find((each) => each.kind === kind);
    if (option === undefined) throw new Error(`the agent offers no ${kind}: ${JSON.stringify(options)}`);
    const answer = { thread_id: this.threadId, permission_id, option_id: option.optionId };
    await this.#screen.request({ control: "permission.respond", ...answer });
  }

  async #rows(name: "timeline.list" | "tool_calls.list" | "permissions.list" | "terminals.list" | "events.list") {
    const args = { thread_id: this.threadId, limit: 500 };
    return (await this.#screen.query(name, args)).rows as readonly unknown[];
  }
}

function isEnd(message: ServerMessage, turnId: string): boolean {
  if (message.type !== "tinyvex.update" || message.stream !== "turns" || !("row" in message)) return false;
  return message.row.turn_id === turnId && !["queued", "running"].includes(message.row.status);
}

function isQuestion(message: ServerMessage, answered: ReadonlySet<string>): boolean {
  if (message.type !== "tinyvex.update" || message.stream !== "permissions") return false;
  return message.row.status === "pending" && !answered.has(message.row.permission_id);
}
