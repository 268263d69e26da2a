// The load of a round: several threads with real agents that talk, run commands and ask, and several clients that follow all of them. Every client
// comes back when it is cut off, and sends a prompt again, with the same id, until it has an answer.
import { setTimeout as pause } from "node:timers/promises";
import { WebSocket } from "ws";
import { askPermission, type Step, script, toolCall, toolCallUpdate } from "../support/fake-agent/script.ts";
import type { Random } from "../support/random.ts";
import { type Frame, type LogEntry, ShownTexts } from "./checker.ts";
import { type Stage, waitUntil } from "./stage.ts";

/** A client that notes everything that it sends and gets. */
class LoggingClient {
  readonly log: LogEntry[] = [];
  readonly #stage: Stage;
  readonly #answers = new Map<string, (answer: Frame | undefined) => void>();
  readonly #threads = new Map<string, number>();
  /** The last status of each turn that it saw. */
  readonly turns = new Map<string, string>();
  /** Hears of each question. */
  onQuestion: (threadId: string, permissionId: string) => void = () => {};
  #texts = new ShownTexts();
  /** Threads of which it asks for a snapshot because something is missing. */
  readonly #asking = new Set<string>();
  #socket: WebSocket | undefined;
  #isStopped = false;
  #requests = 0;

  constructor(stage: Stage) {
    this.#stage = stage;
    this.#connect();
  }

  #connect(): void {
    if (this.#isStopped) return;
    const { port, token } = this.#stage.host.ready;
    const socket = new WebSocket(`ws://127.0.0.1:${port}/ws`, { headers: { authorization: `Bearer ${token}` } });
    socket.on("open", () => {
      this.#socket = socket;
      this.#texts = new ShownTexts();
      this.#asking.clear();
      this.log.push({ connected: true });
      for (const [thread, seq] of this.#threads) this.#subscribe(thread, seq);
    });
    socket.on("message", (data: Buffer) => this.#receive(JSON.parse(data.toString()) as Frame));
    socket.on("error", () => {});
    socket.on("close", () => {
      this.#socket = undefined;
      for (const answer of this.#answers.values()) answer(undefined);
      this.#answers.clear();
      setTimeout(() => this.#connect(), 50);
    });
  }

  get isConnected(): boolean {
    return this.#socket !== undefined;
  }

  /** A very long piece of text is not sent to clients: they see that something is missing, and ask for it. */
  get hasGap(): boolean {
    return this.#texts.gaps.size > 0;
  }

  /** Undefined when the connection ended before the answer. */
  async request(frame: Frame & Record<string, unknown>): Promise<Frame | undefined> {
    const socket = this.#socket;
    if (socket === undefined) return undefined;
    const id = `q${++this.#requests}`;
    const answer = new Promise<Frame | undefined>((resolve) => this.#answers.set(id, resolve));
    this.log.push({ sent: { ...frame, id } });
    socket.send(JSON.stringify({ ...frame, id }));
    return await answer;
  }

  follow(thread: string): void {
    if (this.#threads.has(thread)) return;
    this.#threads.set(thread, 0);
    this.#subscribe(thread, 0);
  }

  #subscribe(thread: string, seq: number): void {
    const after = seq > 0 ? { after_seq: seq } : {};
    void this.request({ control: "tvx.subscribe", stream: "thread", thread_id: thread, ...after });
  }

  #receive(frame: Frame): void {
    this.log.push({ received: frame });
    const { thread_id: thread, seq = 0, request_id: id } = frame;
    if (thread !== undefined && this.#threads.has(thread))
      this.#threads.set(thread, Math.max(seq, this.#threads.get(thread) ?? 0));
    for (const row of [frame.row, ...(frame.turns ?? []), ...(frame.permissions ?? [])]) {
      if (row?.permission_id !== undefined && row.status === "pending")
        this.onQuestion(row.thread_id, row.permission_id);
      else if (row?.turn_id !== undefined && row.status !== undefined) this.turns.set(row.turn_id, row.status);
    }
    this.#texts.apply(frame);
    if (frame.type === "tinyvex.snapshot") this.#asking.delete(thread ?? "");
    for (const key of this.#texts.gaps.keys()) {
      const [incomplete = ""] = key.split("/");
      if (!this.#asking.has(incomplete)) this.#subscribe(incomplete, 0);
      this.#asking.add(incomplete);
    }
    if (id === undefined) return;
    this.#answers.get(id)?.(frame);
    this.#answers.delete(id);
  }

  /** Reads nothing until `resume`. */
  pause(): void {
    this.#socket?.pause();
  }

  resume(): void {
    this.#socket?.resume();
  }

  /** Ends the connection without a word. It comes back. */
  vanish(): void {
    this.#socket?.terminate();
  }

  stop(): void {
    this.#isStopped = true;
    this.#socket?.terminate();
  }
}

export class Load {
  readonly clients: readonly LoggingClient[];
  readonly threads: string[] = [];
  /** The last prompt that was sent, for a client that sends it again. */
  lastPrompt: Frame | undefined;
  /** Further steps of the next prompts. */
  readonly extraSteps: Step[][] = [];
  readonly #stage: Stage;
  readonly #random: (part: string) => Random;
  readonly #name: string;
  readonly #driver: LoggingClient;
  readonly #drives: Promise<void>[] = [];
  #isEnding = false;

  constructor(stage: Stage, name: string, random: (part: string) => Random) {
    this.#stage = stage;
    this.#name = name;
    this.#random = random;
    this.clients = Array.from({ length: 3 }, () => new LoggingClient(stage));
    this.#driver = this.clients[0] ?? new LoggingClient(stage);
    const decide = random("answers");
    this.#driver.onQuestion = (thread_id, permission_id) => {
      const option_id = decide.chance(0.8) ? "yes" : "no";
      void this.#driver.request({ control: "permission.respond", thread_id, permission_id, option_id });
    };
  }

  /** A thread in a folder, which works until the load ends. `isLate`: it begins at any moment of the round. */
  begin(folder: string, isLate = false): void {
    const number = this.#drives.length;
    const random = this.#random(`thread ${number}`);
    const drive = async () => {
      if (isLate) await pause(random.between(0, 2500));
      const thread = await this.#create(folder);
      if (thread === undefined) return;
      for (const client of this.clients) client.follow(thread);
      for (let turn = 0; !this.#isEnding; turn++) {
        const promptId = `${this.#name}t${number}p${turn}`;
        const steps = makeSteps(promptId, folder, this.#stage.journal, random, this.extraSteps.shift() ?? []);
        const turnId = await this.#submit(thread, promptId, steps);
        if (turnId !== undefined) await this.#finish(thread, turnId);
      }
    };
    this.#drives.push(drive());
  }

  async #create(cwd: string): Promise<string | undefined> {
    while (!this.#isEnding) {
      const answer = await this.#driver.request({ control: "session.create", agent_id: "fake", cwd });
      if (answer?.thread_id !== undefined) {
        this.threads.push(answer.thread_id);
        return answer.thread_id;
      }
      await pause(50);
    }
    return undefined;
  }

  async #submit(thread: string, promptId: string, steps: readonly Step[]): Promise<string | undefined> {
    const prompt = [{ type: "text", text: script(...steps) }];
    const frame = { control: "run.submit", thread_id: thread, prompt_id: promptId, prompt };
    this.lastPrompt = frame;
    while (true) {
      const answer = await this.#driver.request(frame);
      if (answer?.turn_id !== undefined) return answer.turn_id;
      // A refused prompt may be given up. One without an answer may run, so it is asked about.
      if (this.#isEnding && answer !== undefined) return undefined;
      await pause(50);
    }
  }

  /** Waits for the end of a turn. After a kill it may wait in the queue until somebody says that it should run. */
  async #finish(thread: string, turnId: string): Promise<void> {
    const status = () => this.#driver.turns.get(turnId) ?? "unknown";
    while (!["ended", "failed", "interrupted"].includes(status())) {
      if (status() === "queued") await this.#driver.request({ control: "run.continue", thread_id: thread });
      await pause(20);
    }
  }

  /** Lets the running turns end, for a minute, and closes all threads that `list` names then: the answer to a `session.create` may have been lost. */
  async end(list: () => readonly string[]): Promise<void> {
    this.#isEnding = true;
    await Promise.race([Promise.all(this.#drives), pause(60_000, undefined, { ref: false })]);
    for (const thread_id of list()) {
      while ((await this.#driver.request({ control: "session.close", thread_id })) === undefined) await pause(50);
    }
    // The others may still be reading.
    const isWhole = (client: LoggingClient) => client.isConnected && !client.hasGap;
    await waitUntil(() => this.clients.every(isWhole), 10_000);
    await Promise.race([
      Promise.all(this.clients.map((client) => client.request({ control: "tvx.ping" }))),
      pause(10_000),
    ]);
    for (const client of this.clients) client.stop();
  }

  async whenBusy(): Promise<void> {
    await waitUntil(() => this.#driver.turns.size > 0, 20_000);
  }
}

/** A turn of about a second: numbered words, calls, a command, a file, a question. */
function makeSteps(promptId: string, folder: string, journal: string, random: Random, extra: readonly Step[]): Step[] {
  const words = random.between(60, 240);
  const steps: Step[] = [{ shell: `echo ${promptId} >> ${journal}` }];
  const extraAt = random.between(1, words - 1);
  for (let word = 0; word < words; word++) {
    steps.push({ say: `${promptId}.${word} ` });
    if (word === extraAt) steps.push(...extra);
    if (random.chance(0.15)) steps.push({ wait: random.between(1, 30) });
    if (random.chance(0.03)) steps.push(...makeWork(`${promptId}-${word}`, folder, random));
  }
  return steps;
}

function makeWork(id: string, folder: string, random: Random): readonly Step[] {
  const begin = toolCall(id, { status: "in_progress" });
  const end = toolCallUpdate(id, { status: "completed", rawOutput: { text: "x".repeat(random.between(0, 5000)) } });
  const command = `for i in 1 2 3 4 5 6 7 8 9 10; do echo $i; sleep 0.05; done`;
  const path = `${folder}/agent-${random.between(1, 9)}`;
  const kinds: readonly (readonly Step[])[] = [
    [begin, end],
    [begin],
    [begin, { ask: "terminal/create", params: { command }, quiet: true }, end],
    [begin, { ask: "fs/write_text_file", params: { path, content: id }, quiet: true }, end],
    [{ shell: `echo ${id} > ${path} || true` }],
    [begin, { ...askPermission(id, { title: "May I?", kind: "other" }), quiet: true }, end],
  ];
  return random.choose(kinds);
}
