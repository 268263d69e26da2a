// Our agent as an editor starts it: the built program as a process of its own, driven over stdio by the official SDK's client, or line by line.
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { Readable, Writable } from "node:stream";
import {
  type ClientCapabilities,
  type ClientConnection,
  type ClientContext,
  type CreateElicitationRequest,
  type CreateElicitationResponse,
  client,
  type InitializeResponse,
  methods,
  type NewSessionResponse,
  ndJsonStream,
  type PromptResponse,
  type RequestPermissionRequest,
  type SessionUpdate,
} from "@agentclientprotocol/sdk";
import { program } from "./host-process.ts";
import { Watch } from "./watch.ts";

interface AgentProcessOptions {
  /** Where it keeps its sessions and finds its config. */
  readonly home: string;
  readonly flags?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
}

/** The process alone. */
function spawnAgent({
  home,
  flags = ["--provider", "demo"],
  env = {},
}: AgentProcessOptions): ChildProcessWithoutNullStreams {
  return spawn(process.execPath, [program, "agent", ...flags], {
    stdio: ["pipe", "pipe", "pipe"],
    env: { ...process.env, SIGNALBOX_HOME: home, ...env },
  });
}

/** What the client answers. */
interface Answers {
  /** The option that a permission question is answered with; never answers for `null`. */
  readonly permission?: (request: RequestPermissionRequest) => string | null;
  readonly files?: ReadonlyMap<string, string>;
  /** The answer to a form or a page; cancelled without it. */
  readonly elicit?: (request: CreateElicitationRequest) => CreateElicitationResponse;
}

export interface AgentClientOptions extends AgentProcessOptions, Answers {
  readonly capabilities?: ClientCapabilities;
}

interface Seen {
  readonly sessionId: string;
  readonly update: SessionUpdate;
}

/** A client of the official SDK with a running, initialized agent. */
export class AgentClient implements AsyncDisposable {
  readonly process: ChildProcessWithoutNullStreams;
  readonly agent: ClientContext;
  readonly updates: Seen[] = [];
  readonly questions: RequestPermissionRequest[] = [];
  readonly elicited: CreateElicitationRequest[] = [];
  /** Methods that the agent called. */
  readonly called: string[] = [];
  /** Files that the agent wrote through the client. */
  readonly written = new Map<string, string>();
  readonly #watch = new Watch();
  readonly #connection: ClientConnection;
  /** Sessions that the client has closed: what still comes of them does not count. */
  readonly #closed = new Set<string>();
  #answers: Answers;
  stderr = "";
  initialized: InitializeResponse | undefined;

  private constructor(options: AgentClientOptions) {
    this.#answers = options;
    this.process = spawnAgent(options);
    this.process.stderr.setEncoding("utf8").on("data", (text: string) => (this.stderr += text));
    const app = client({ name: "test" })
      .onNotification(methods.client.session.update, ({ params }) => {
        if (this.#closed.has(params.sessionId)) return;
        this.updates.push({ sessionId: params.sessionId, update: params.update });
        this.#watch.notify();
      })
      .onRequest(methods.client.session.requestPermission, async ({ params, signal }) => {
        this.called.push(methods.client.session.requestPermission);
        this.questions.push(params);
        this.#watch.notify();
        const { permission = () => "allow_once" } = this.#answers;
        const optionId = permission(params);
        if (optionId === null) await once(signal, "abort");
        return { outcome: { outcome: "selected", optionId: optionId ?? "" } };
      })
      .onRequest(methods.client.elicitation.create, ({ params }) => {
        this.elicited.push(params);
        return this.#answers.elicit?.(params) ?? { action: "cancel" };
      })
      .onRequest(methods.client.fs.readTextFile, ({ params }) => {
        this.called.push(methods.client.fs.readTextFile);
        const content = this.written.get(params.path) ?? this.#answers.files?.get(params.path);
        if (content === undefined) throw new Error(`no such file: ${params.path}`);
        return { content };
      })
      .onRequest(methods.client.fs.writeTextFile, ({ params }) => {
        this.called.push(methods.client.fs.writeTextFile);
        this.written.set(params.path, params.content);
      });
    const { stdin, stdout } = this.process;
    this.#connection = app.connect(
      ndJsonStream(Writable.toWeb(stdin), Readable.toWeb(stdout) as ReadableStream<Uint8Array>),
    );
    this.agent = this.#connection.agent;
  }

  static async start(options: AgentClientOptions): Promise<AgentClient> {
    const started = new AgentClient(options);
    started.initialized = await started.agent.request(methods.agent.initialize, {
      protocolVersion: 1,
      clientCapabilities: options.capabilities ?? {},
    });
    return started;
  }

  /** Forgets what it has seen. */
  answerWith(answers: Answers): void {
    this.#answers = answers;
    this.stderr = "";
    for (const seen of [this.updates, this.questions, this.elicited, this.called]) seen.length = 0;
    this.written.clear();
  }

  newSession(cwd: string, rest: object = {}): Promise<NewSessionResponse> {
    return this.agent.request(methods.agent.session.new, { cwd, mcpServers: [], ...rest });
  }

  prompt(sessionId: string, text: string): Promise<PromptResponse> {
    return this.agent.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: "text", text }] });
  }

  /** Whether the agent lives on. */
  async close(sessionId: string): Promise<boolean> {
    if (this.process.exitCode !== null || this.process.signalCode !== null) return false;
    await this.agent.request(methods.agent.session.close, { sessionId });
    this.#closed.add(sessionId);
    return true;
  }

  async cancel(sessionId: string): Promise<void> {
    await this.agent.notify(methods.agent.session.cancel, { sessionId });
  }

  /** Everything the agent said. */
  text(sessionId?: string): string {
    return this.updates
      .filter((seen) => sessionId === undefined || seen.sessionId === sessionId)
      .map(({ update }) =>
        update.sessionUpdate === "agent_message_chunk" && update.content.type === "text" ? update.content.text : "",
      )
      .join("");
  }

  ofKind<Kind extends SessionUpdate["sessionUpdate"]>(kind: Kind): Extract<SessionUpdate, { sessionUpdate: Kind }>[] {
    return this.updates.flatMap(({ update }) =>
      update.sessionUpdate === kind ? [update as Extract<SessionUpdate, { sessionUpdate: Kind }>] : [],
    );
  }

  /** Resolves as soon as `isTrue` holds; looked at after everything that comes from the agent. */
  async until(isTrue: () => boolean): Promise<void> {
    await this.#watch.until(isTrue);
  }

  /** Ends as an editor does that closes: stdin ends. Resolves to the exit code. */
  async leave(): Promise<number | null> {
    const { process: child } = this;
    if (child.exitCode === null && child.signalCode === null) {
      const exit = once(child, "exit");
      child.stdin.end();
      await exit;
    }
    return child.exitCode;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.process.exitCode === null && this.process.signalCode === null) {
      const exit = once(this.process, "exit");
      this.process.kill("SIGKILL");
      await exit;
    }
    this.#connection.close();
  }
}

/** A client that speaks line by line, for what the SDK would never send. */
export class RawClient implements AsyncDisposable {
  readonly process: ChildProcessWithoutNullStreams;
  /** Every line that came, parsed; a line that is no JSON is an error. */
  readonly messages: Record<string, unknown>[] = [];
  readonly #watch = new Watch();
  #rest = "";

  constructor(options: AgentProcessOptions) {
    this.process = spawnAgent(options);
    this.process.stderr.resume();
    this.process.stdout.setEncoding("utf8").on("data", (text: string) => {
      const lines = (this.#rest + text).split("\n");
      this.#rest = lines.pop() ?? "";
      for (const line of lines) this.messages.push(JSON.parse(line) as Record<string, unknown>);
      this.#watch.notify();
    });
  }

  write(text: string): void {
    this.process.stdin.write(text);
  }

  send(message: object): void {
    this.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }

  /** Sends a request and resolves to its whole answer. */
  async request(method: string, params?: unknown, id: string | number = `${method}-${this.messages.length}`) {
    this.send({ id, method, params });
    return await this.message((message) => message.id === id && !("method" in message));
  }

  message(matches: (message: Record<string, unknown>) => boolean): Promise<Record<string, unknown>> {
    return this.#watch.until(() => this.messages.find(matches));
  }

  async initialize(): Promise<Record<string, unknown>> {
    return await this.request("initialize", { protocolVersion: 1, clientCapabilities: {} });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.process.exitCode !== null || this.process.signalCode !== null) return;
    const exit = once(this.process, "exit");
    this.process.kill("SIGKILL");
    await exit;
  }
}
