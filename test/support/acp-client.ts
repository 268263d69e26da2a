// An ACP client for tests. It keeps every message as the text that came, over a WebSocket or over the pipes of `signalbox acp`.
import { type ChildProcessByStdio, type SpawnOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import type { JsonObject } from "@signalbox/protocol";
import { WebSocket } from "ws";
import { program, type Ready } from "./host-process.ts";
import { Watch } from "./watch.ts";

interface AcpMessage {
  readonly id?: string | number | null;
  readonly method?: string;
  readonly params?: JsonObject;
  readonly result?: JsonObject;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

export class AcpTestClient implements Disposable {
  /** Every message, as it came. */
  readonly lines: string[] = [];
  readonly received: AcpMessage[] = [];
  /** Of each update, where it ends in the thread's log; only with `?positions`. */
  readonly positions: { readonly seq: number; readonly offset?: number }[] = [];
  readonly #write: (text: string) => void;
  readonly #kill: () => void;
  readonly #watch = new Watch();
  #nextId = 1;

  private constructor(write: (text: string) => void, kill: () => void) {
    this.#write = write;
    this.#kill = kill;
  }

  /** Connects to `/acp` of a host. `query` is added to the address. */
  static async connect({ port, token }: Ready, query = ""): Promise<AcpTestClient> {
    const headers = { Authorization: `Bearer ${token}` };
    const socket = new WebSocket(`ws://127.0.0.1:${port}/acp${query}`, { headers });
    const client = new AcpTestClient(
      (text) => socket.send(text),
      () => socket.terminate(),
    );
    socket.on("message", (data: Buffer) => client.#receive(data.toString("utf8")));
    socket.on("error", () => {});
    await once(socket, "open");
    return client;
  }

  /** Starts `signalbox acp`. */
  static start(args: readonly string[], env: NodeJS.ProcessEnv = {}): AcpTestClient & { readonly child: AcpProcess } {
    return AcpTestClient.run(["acp", ...args], { env: { ...process.env, ...env } });
  }

  /** Starts a command of `signalbox` that speaks ACP on its pipes. */
  static run(words: readonly string[], options: SpawnOptions = {}): AcpTestClient & { readonly child: AcpProcess } {
    const child = spawn(process.execPath, [program, ...words], { ...options, stdio: ["pipe", "pipe", "pipe"] });
    const client = new AcpTestClient(
      (text) => child.stdin.write(`${text}\n`),
      () => child.kill("SIGKILL"),
    );
    createInterface({ input: child.stdout }).on("line", (line) => client.#receive(line));
    child.stdin.on("error", () => {});
    child.stderr.resume();
    return Object.assign(client, { child });
  }

  send(text: string): void {
    this.#write(text);
  }

  /** The answer to a request, errors included. */
  async request(method: string, params: object = {}): Promise<AcpMessage> {
    const id = this.#nextId++;
    this.#write(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
    return await this.waitFor((message) => message.id === id && message.method === undefined);
  }

  /** The result of a request. Throws its error. */
  async ask(method: string, params: object = {}): Promise<JsonObject> {
    const { result, error } = await this.request(method, params);
    if (error !== undefined || result === undefined) throw new Error(`${method}: ${JSON.stringify(error)}`);
    return result;
  }

  notify(method: string, params: object): void {
    this.#write(JSON.stringify({ jsonrpc: "2.0", method, params }));
  }

  answer(id: AcpMessage["id"], result: object): void {
    this.#write(JSON.stringify({ jsonrpc: "2.0", id, result }));
  }

  async initialize(clientCapabilities: object = {}): Promise<JsonObject> {
    return await this.ask("initialize", { protocolVersion: 1, clientCapabilities });
  }

  /** A new session of the fake agent; its id is the thread's. */
  async newSession(cwd: string): Promise<string> {
    return idIn(await this.ask("session/new", { cwd, mcpServers: [], _meta: { "signalbox/agent": "fake" } }));
  }

  /** The first message, also one that came already, for which `matches` is true. */
  waitFor(matches: (message: AcpMessage) => boolean): Promise<AcpMessage> {
    let seen = 0;
    return this.#watch.until(() => {
      while (seen < this.received.length) {
        const message = this.received[seen++];
        if (message !== undefined && matches(message)) return message;
      }
      return undefined;
    });
  }

  /** The params of every `session/update` of a session, as text. */
  updateTexts(sessionId: string): readonly string[] {
    const head = '{"jsonrpc":"2.0","method":"session/update","params":';
    return this.lines
      .filter((line) => line.startsWith(head))
      .map((line) => line.slice(head.length, -1))
      .filter((params) => (JSON.parse(params) as { sessionId: string }).sessionId === sessionId);
  }

  /** The text of all message chunks of one kind. */
  said(sessionId: string, kind = "agent_message_chunk"): string {
    return this.updateTexts(sessionId)
      .map((params) => JSON.parse(params) as { update: { sessionUpdate: string; content?: { text?: string } } })
      .map(({ update }) => (update.sessionUpdate === kind ? (update.content?.text ?? "") : ""))
      .join("");
  }

  /** Ends it without a word, as a crash would. */
  [Symbol.dispose](): void {
    this.#kill();
  }

  /** What came is a message and, with `?positions`, a second line. */
  #receive(text: string): void {
    const [line = "", position] = text.split("\n");
    if (position !== undefined) this.positions.push(JSON.parse(position) as { seq: number });
    this.lines.push(line);
    this.received.push(JSON.parse(line) as AcpMessage);
    this.#watch.notify();
  }
}

type AcpProcess = ChildProcessByStdio<Writable, Readable, Readable>;

/** The session id in an answer. */
export function idIn({ sessionId }: JsonObject): string {
  if (typeof sessionId !== "string") throw new Error("the answer has no sessionId");
  return sessionId;
}
