// A host as a process, with the bench agent before it and WebSocket clients behind it.
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { WebSocket } from "ws";
import { HostProcess, type Ready, TemporaryFolder } from "../../../test/support/host-process.ts";

export const agentFile = join(import.meta.dirname, "bench-agent.mjs");

/** In MB. */
export function measureMemory(pid: number, field: "VmRSS" | "VmHWM"): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1]) / 1024;
}

interface BenchScreen {
  readonly socket: WebSocket;
  /** Milliseconds from the agent's write to this screen, per stamped chunk. */
  readonly delays: number[];
  /** Resolves when so many characters of agent's text have come. */
  seen(characters: number): Promise<void>;
}

/** A host with the bench agent and one thread. */
export class Rig implements AsyncDisposable {
  readonly #folder: TemporaryFolder;
  readonly #host: HostProcess;
  readonly #control: WebSocket;
  readonly #threadId: string;
  readonly #sockets: WebSocket[] = [];
  #prompts = 0;
  #requests = 0;

  private constructor(folder: TemporaryFolder, host: HostProcess, control: WebSocket, threadId: string) {
    this.#folder = folder;
    this.#host = host;
    this.#control = control;
    this.#threadId = threadId;
  }

  static async start(): Promise<Rig> {
    const folder = new TemporaryFolder();
    mkdirSync(folder.in("data"));
    mkdirSync(folder.in("project"));
    const bench = { command: process.execPath, args: [agentFile] };
    writeFileSync(folder.in("data/config.json"), JSON.stringify({ agents: { bench } }));
    const host = await HostProcess.start(folder.in("data"));
    const control = await connect(host.ready);
    control.send(JSON.stringify({ id: 1, control: "session.create", agent_id: "bench", cwd: folder.in("project") }));
    const answer = await next(control, (message) => message.request_id === 1);
    return new Rig(folder, host, control, String(answer.thread_id));
  }

  get ready(): Ready {
    return this.#host.ready;
  }

  async screen(isStamped: boolean): Promise<BenchScreen> {
    const socket = await connect(this.#host.ready);
    this.#sockets.push(socket);
    const delays: number[] = [];
    let characters = 0;
    let wake: (() => void) | null = null;
    socket.send(JSON.stringify({ id: 1, control: "tvx.subscribe", stream: "thread", thread_id: this.#threadId }));
    await next(socket, (message) => message.request_id === 1);
    socket.on("message", (data: Buffer) => {
      const arrived = process.hrtime.bigint();
      const message = JSON.parse(data.toString("utf8")) as Record<string, unknown>;
      if (message.stream !== "messages" || message.role !== "assistant") return;
      const delta = String(message.text_delta);
      characters += delta.length;
      wake?.();
      if (!isStamped) return;
      for (const stamp of delta.trim().split(" ")) delays.push(Number(arrived - BigInt(stamp)) / 1e6);
    });
    const seen = (wanted: number) =>
      new Promise<void>((resolve) => {
        wake = () => characters >= wanted && resolve();
        wake();
      });
    return { socket, delays, seen };
  }

  async run(order: object, thread_id = this.#threadId): Promise<void> {
    const id = `run-${++this.#prompts}`;
    const prompt = [{ type: "text", text: JSON.stringify(order) }];
    await this.request({ control: "tvx.subscribe", stream: "thread", thread_id });
    const ended = next(this.#control, ({ stream, row }) => stream === "turns" && isEnded(row, id));
    this.#control.send(JSON.stringify({ id, control: "run.submit", thread_id, prompt_id: id, prompt }));
    await ended;
  }

  async request(message: object): Promise<Record<string, unknown>> {
    const id = `request-${++this.#requests}`;
    const answer = next(this.#control, (each) => each.request_id === id);
    this.#control.send(JSON.stringify({ id, ...message }));
    return await answer;
  }

  /** A session with the bench agent: so many prompts, and its end. */
  async runSession(prompts: number, order: object): Promise<void> {
    const made = await this.request({ control: "session.create", agent_id: "bench", cwd: this.#folder.in("project") });
    const thread_id = String(made.thread_id);
    for (let prompt = 0; prompt < prompts; prompt++) await this.run(order, thread_id);
    await this.request({ control: "tvx.unsubscribe", stream: "thread", thread_id });
    await this.request({ control: "session.close", thread_id });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of [this.#control, ...this.#sockets]) socket.terminate();
    await this.#host.stop();
    this.#folder[Symbol.dispose]();
  }
}

function isEnded(row: unknown, promptId: string): boolean {
  const turn = row as { prompt_id?: string; ended_at?: number | null } | undefined;
  return turn?.prompt_id === promptId && turn.ended_at !== null;
}

async function connect({ port, token }: Ready): Promise<WebSocket> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/ws`, { headers: { authorization: `Bearer ${token}` } });
  await once(socket, "open");
  return socket;
}

function next(
  socket: WebSocket,
  matches: (message: Record<string, unknown>) => boolean,
): Promise<Record<string, unknown>> {
  return new Promise((resolve) => {
    const look = (data: Buffer) => {
      const message = JSON.parse(data.toString("utf8")) as Record<string, unknown>;
      if (!matches(message)) return;
      socket.off("message", look);
      resolve(message);
    };
    socket.on("message", look);
  });
}
