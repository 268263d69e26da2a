// `signalbox claude` as an editor uses it: the built program, driven over stdio by the official SDK's client, which has real files and real terminals.
import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { Readable, Writable } from "node:stream";
import {
  type ClientCapabilities,
  type ClientConnection,
  client,
  type InitializeResponse,
  methods,
  ndJsonStream,
  type PermissionOption,
  type PromptResponse,
  RequestError,
  type RequestPermissionRequest,
  type SessionUpdate,
} from "@agentclientprotocol/sdk";
import { program } from "../support/host-process.ts";
import { Watch } from "../support/watch.ts";

export const everything: ClientCapabilities = { fs: { readTextFile: true, writeTextFile: true }, terminal: true };

export interface ClaudeClientOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly capabilities?: ClientCapabilities;
  /** The kind of answer that a question gets; never answers for `null`. */
  readonly person?: (request: RequestPermissionRequest) => PermissionOption["kind"] | null;
  /** What is filled into each form. */
  readonly form?: Readonly<Record<string, string | string[]>>;
}

interface Terminal {
  readonly child: ChildProcess;
  output: string;
  readonly exited: Promise<{ exitCode: number | null; signal: string | null }>;
}

export class ClaudeClient implements AsyncDisposable {
  readonly process: ChildProcessWithoutNullStreams;
  readonly updates: SessionUpdate[] = [];
  readonly questions: RequestPermissionRequest[] = [];
  readonly forms: unknown[] = [];
  /** Methods that the agent called, in order. */
  readonly called: string[] = [];
  readonly released: string[] = [];
  readonly terminals = new Map<string, Terminal>();
  readonly #connection: ClientConnection;
  readonly #watch = new Watch();
  stderr = "";
  initialized: InitializeResponse | undefined;

  private constructor({ env, person = () => "allow_once", form = {} }: ClaudeClientOptions) {
    this.process = spawn(process.execPath, [program, "claude"], { stdio: ["pipe", "pipe", "pipe"], env });
    this.process.stderr.setEncoding("utf8").on("data", (text: string) => (this.stderr += text));
    const app = client({ name: "test" })
      .onNotification(methods.client.session.update, ({ params }) => {
        this.updates.push(params.update);
        this.#watch.notify();
      })
      .onRequest(methods.client.session.requestPermission, async ({ params, signal }) => {
        this.called.push(methods.client.session.requestPermission);
        this.questions.push(params);
        this.#watch.notify();
        const kind = person(params);
        if (kind === null) {
          await once(signal, "abort");
          return { outcome: { outcome: "cancelled" } };
        }
        const option = params.options.find((each) => each.kind === kind);
        return { outcome: { outcome: "selected", optionId: option?.optionId ?? "" } };
      })
      .onRequest(methods.client.elicitation.create, ({ params }) => {
        this.forms.push(params);
        return { action: "accept", content: { ...form } };
      })
      .onRequest(methods.client.fs.readTextFile, ({ params: { path, line, limit } }) => {
        this.called.push(methods.client.fs.readTextFile);
        if (!existsSync(path)) throw RequestError.resourceNotFound(path);
        const lines = readFileSync(path, "utf8").split(/(?<=\n)/);
        const start = (line ?? 1) - 1;
        return { content: lines.slice(start, limit ? start + limit : undefined).join("") };
      })
      .onRequest(methods.client.fs.writeTextFile, ({ params: { path, content } }) => {
        this.called.push(methods.client.fs.writeTextFile);
        writeFileSync(path, content);
      })
      .onRequest(methods.client.terminal.create, ({ params: { command, cwd } }) => {
        this.called.push(methods.client.terminal.create);
        const terminalId = `terminal-${this.terminals.size + 1}`;
        const child = spawn("/bin/sh", ["-c", command], { cwd: cwd ?? undefined, detached: true });
        const exited = once(child, "close").then(([exitCode, signal]) => ({ exitCode, signal }));
        const terminal: Terminal = { child, output: "", exited };
        for (const stream of [child.stdout, child.stderr]) {
          stream.setEncoding("utf8").on("data", (text: string) => (terminal.output += text));
        }
        this.terminals.set(terminalId, terminal);
        this.#watch.notify();
        return { terminalId };
      })
      .onRequest(methods.client.terminal.output, ({ params }) => {
        this.called.push(methods.client.terminal.output);
        return { output: this.#terminal(params.terminalId).output, truncated: false };
      })
      .onRequest(methods.client.terminal.waitForExit, ({ params }) => this.#terminal(params.terminalId).exited)
      .onRequest(methods.client.terminal.kill, async ({ params }) => {
        this.called.push(methods.client.terminal.kill);
        await this.#kill(params.terminalId);
        return {};
      })
      .onRequest(methods.client.terminal.release, async ({ params }) => {
        this.released.push(params.terminalId);
        await this.#kill(params.terminalId);
        this.#watch.notify();
        return {};
      });
    const input = Readable.toWeb(this.process.stdout) as ReadableStream<Uint8Array>;
    this.#connection = app.connect(ndJsonStream(Writable.toWeb(this.process.stdin), input));
  }

  static async start(options: ClaudeClientOptions): Promise<ClaudeClient> {
    const started = new ClaudeClient(options);
    started.initialized = await started.agent.request(methods.agent.initialize, {
      protocolVersion: 1,
      clientCapabilities: options.capabilities ?? everything,
    });
    return started;
  }

  /** Not initialized. */
  static spawn(options: ClaudeClientOptions): ClaudeClient {
    return new ClaudeClient(options);
  }

  get agent(): ClientConnection["agent"] {
    return this.#connection.agent;
  }

  async newSession(cwd: string, rest: object = {}) {
    return await this.agent.request(methods.agent.session.new, { cwd, mcpServers: [], ...rest });
  }

  prompt(sessionId: string, text: string): Promise<PromptResponse> {
    return this.agent.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: "text", text }] });
  }

  ofKind<Kind extends SessionUpdate["sessionUpdate"]>(kind: Kind): Extract<SessionUpdate, { sessionUpdate: Kind }>[] {
    return this.updates.flatMap((update) =>
      update.sessionUpdate === kind ? [update as Extract<SessionUpdate, { sessionUpdate: Kind }>] : [],
    );
  }

  /** Everything that was said, without the calls in between. */
  get text(): string {
    return this.ofKind("agent_message_chunk")
      .map(({ content }) => (content.type === "text" ? content.text : ""))
      .join("");
  }

  /** Each call as it stands after all its updates, in the order of the announcements. */
  get calls(): readonly Record<string, unknown>[] {
    const calls = new Map<string, Record<string, unknown>>();
    for (const update of this.updates) {
      if (update.sessionUpdate !== "tool_call" && update.sessionUpdate !== "tool_call_update") continue;
      const { sessionUpdate: _, ...fields } = update;
      calls.set(update.toolCallId, { ...calls.get(update.toolCallId), ...fields });
    }
    return [...calls.values()];
  }

  /** Resolves as soon as `isTrue` holds; looked at after everything that comes from the agent. */
  async until(isTrue: () => boolean): Promise<void> {
    await this.#watch.until(isTrue);
  }

  /** As an editor that closes: stdin ends. */
  async leave(): Promise<number | null> {
    if (this.process.exitCode === null && this.process.signalCode === null) {
      const exit = once(this.process, "exit");
      this.process.stdin.end();
      await exit;
    }
    return this.process.exitCode;
  }

  /** Claude Code would go on writing into its home for a moment if it were not left properly. */
  async [Symbol.asyncDispose](): Promise<void> {
    const limit = setTimeout(() => this.process.kill("SIGKILL"), 10_000);
    await this.leave();
    clearTimeout(limit);
    for (const id of this.terminals.keys()) await this.#kill(id);
    this.#connection.close();
  }

  #terminal(id: string): Terminal {
    const terminal = this.terminals.get(id);
    if (terminal === undefined) throw RequestError.resourceNotFound(id);
    return terminal;
  }

  async #kill(id: string): Promise<void> {
    const { child, exited } = this.#terminal(id);
    // The whole group: a shell's children are not the shell.
    if (child.exitCode === null && child.signalCode === null && child.pid !== undefined) {
      process.kill(-child.pid, "SIGKILL");
    }
    await exited;
  }
}
