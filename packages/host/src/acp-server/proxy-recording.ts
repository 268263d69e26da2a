// Reads the lines that `signalbox proxy` passed between a client and an agent, and records each session in a thread. Nothing here can change
// what the two say to each other.
import { SerialQueue } from "@signalbox/base";
import {
  isJsonObject,
  isNestedTooDeep,
  type Json,
  type JsonObject,
  makeConfigOptionsUpdate,
  makeModeUpdate,
  messageOf,
  toFields,
} from "@signalbox/protocol";
import { type AgentLine, AgentLineParser, type Register, sourceOfLine } from "@signalbox/tinyvex";
import { LongLines, longLineBytes } from "../agents/long-lines.ts";
import { OpenRequests } from "../agents/open-requests.ts";
import { decodeProxyFrame } from "../data/proxy-frames.ts";
import { threadsBySession } from "../sessions/threads-by-session.ts";
import { type AgentRequest, RecordedThread } from "./recorded-thread.ts";

interface ProxyRecordingOptions {
  readonly register: Register;
  readonly agentId: string;
  /** Where the client started the agent. */
  readonly cwd: string;
  /** Called when something cannot be recorded. */
  readonly onProblem: (problem: string) => void;
}

interface ClientRequest {
  readonly method: string;
  readonly params: JsonObject;
}

/** Signalbox did not start this agent, so nothing sandboxes it. */
const sandbox = {
  by: "none",
  network: "on",
  detail: "This agent was started by its client and runs with your rights. Signalbox only records it.",
} as const;

/** More than a person could follow. */
const maxSessions = 100;

export class ProxyRecording {
  readonly #options: ProxyRecordingOptions;
  readonly #parser = new AgentLineParser();
  readonly #longLines = new LongLines();
  /** Keeps the two maps of requests below bounded. */
  readonly #openRequests = { client: new OpenRequests(), agent: new OpenRequests() };
  /** Requests without an answer, by their id as JSON. */
  readonly #byClient = new Map<string, ClientRequest>();
  readonly #byAgent = new Map<string, AgentRequest>();
  /** By session id; undefined for a session that cannot be recorded any more. */
  readonly #threads = new Map<string, RecordedThread | undefined>();
  /** Sessions whose history the agent sends again, and that is known here. */
  readonly #replayed = new Set<string>();
  /** Frames are handled one after another. */
  readonly #work = new SerialQueue();
  #failure: string | null = null;
  #isStopped = false;

  constructor(options: ProxyRecordingOptions) {
    this.#options = options;
  }

  /** Resolves when the frame is handled. */
  receive(frame: Buffer): Promise<void> {
    return this.#then(async () => {
      if (this.#isStopped) return;
      const decoded = decodeProxyFrame(frame);
      switch (decoded?.kind) {
        case "client":
          return await this.#fromClient(decoded.body);
        case "agent":
          return await this.#fromAgent(decoded.body);
        case "lost":
          return this.#lost(Number(decoded.body.toString("utf8")));
        case "exit":
          this.#failure = `The agent ${decoded.body.toString("utf8")}.`;
          return;
        case undefined:
          return;
      }
    });
  }

  /** The connection is closed. Resolves when everything is stored. */
  async end(): Promise<void> {
    await this.#then(async () => {
      this.#longLines.close();
      for (const thread of this.#threads.values()) thread?.end(this.#failure);
      await this.#settle();
    });
  }

  #then(work: () => Promise<void>): Promise<void> {
    return this.#work.run(async () => {
      try {
        await work();
      } catch (error) {
        this.#isStopped = true;
        this.#options.onProblem(messageOf(error));
      }
    });
  }

  /** Null for what is no message, and for one that is not read. A long line is read in a thread of its own: others wait for this one. */
  async #read(line: Buffer): Promise<AgentLine | null> {
    const read = line.length > longLineBytes ? await this.#longLines.read(line) : null;
    if (read === null || read.type === "message") {
      const parsed = read === null ? this.#parser.parse(line) : this.#parser.parseRead(read);
      return parsed === null || isNestedTooDeep(parsed.message) ? null : parsed;
    }
    if (read.type === "no_message") return null;
    const source = read.type === "refused" ? sourceOfLine(read.text) : undefined;
    await this.#lastThread()?.notRead(read.problem, source);
    return null;
  }

  #lastThread(): RecordedThread | undefined {
    return [...this.#threads.values()].at(-1);
  }

  async #fromClient(line: Buffer): Promise<void> {
    const { length } = line;
    const message = (await this.#read(line))?.message;
    if (message === undefined) return;
    const { id, method } = message;
    const params = toFields(message.params);
    if (typeof method !== "string") return await this.#clientAnswered(message);
    if (!("id" in message)) return;
    this.#openRequests.client.add(key(id), length);
    this.#byClient.set(key(id), { method, params });
    const { sessionId } = params;
    if (typeof sessionId !== "string") return;
    if (method === "session/prompt") (await this.#thread(sessionId, params))?.prompted(key(id), params.prompt);
    else if (method === "session/load" && (await this.#find(sessionId)) !== undefined) this.#replayed.add(sessionId);
  }

  async #fromAgent(line: Buffer): Promise<void> {
    const { length } = line;
    const parsed = await this.#read(line);
    if (parsed === null) return;
    const { message } = parsed;
    const { id, method } = message;
    const params = toFields(message.params);
    if (typeof method !== "string") return await this.#agentAnswered(message);
    if ("id" in message) {
      this.#openRequests.agent.add(key(id), length);
      this.#byAgent.set(key(id), { method, params, at: Date.now() });
    } else if (!method.startsWith("$/")) await this.#notified(method, params, parsed);
  }

  async #notified(method: string, params: JsonObject, line: AgentLine): Promise<void> {
    const { sessionId } = params;
    if (typeof sessionId === "string" && this.#replayed.has(sessionId)) return;
    // A notification that names no session is about the last one.
    const thread = typeof sessionId === "string" ? await this.#thread(sessionId, this.#opening()) : this.#lastThread();
    if (thread === undefined) return;
    if (method === "session/update") await thread.sent(line);
    else thread.append({ type: "notification", method, params, source: line.source });
  }

  async #clientAnswered(message: JsonObject): Promise<void> {
    const asked = this.#byAgent.get(key(message.id));
    this.#byAgent.delete(key(message.id));
    this.#openRequests.agent.remove(key(message.id));
    const { sessionId } = asked?.params ?? {};
    if (asked !== undefined && typeof sessionId === "string") {
      (await this.#thread(sessionId, {}))?.served(asked, message);
    }
  }

  async #agentAnswered(message: JsonObject): Promise<void> {
    const asked = this.#byClient.get(key(message.id));
    this.#byClient.delete(key(message.id));
    this.#openRequests.client.remove(key(message.id));
    if (asked === undefined) return;
    const { method, params } = asked;
    const result = isJsonObject(message.result) ? message.result : null;
    if (opensSession(method)) {
      if (typeof result?.sessionId !== "string") return;
      const early = await this.#find(result.sessionId);
      if (early === undefined) await this.#create(result.sessionId, params, result);
      else early.opened(result.sessionId, result);
      return;
    }
    const { sessionId } = params;
    if (typeof sessionId !== "string") return;
    this.#replayed.delete(sessionId);
    const thread = result === null && method !== "session/prompt" ? undefined : await this.#thread(sessionId, params);
    if (thread === undefined) return;
    switch (method) {
      case "session/prompt":
        thread.answered(key(message.id), message);
        return await this.#settle();
      case "session/load":
      case "session/resume":
        return thread.opened(sessionId, result ?? {});
      case "session/set_mode":
        return typeof params.modeId === "string" ? thread.updated(makeModeUpdate(params.modeId)) : undefined;
      case "session/set_config_option":
        if (Array.isArray(result?.configOptions)) thread.updated(makeConfigOptionsUpdate(result.configOptions));
        return;
      default:
        return;
    }
  }

  /** The thread of a session: known, in the register, or new. Undefined where it cannot be recorded. */
  async #thread(sessionId: string, params: JsonObject): Promise<RecordedThread | undefined> {
    if (this.#threads.has(sessionId)) return this.#threads.get(sessionId);
    return (await this.#find(sessionId)) ?? (await this.#create(sessionId, params, {}));
  }

  /** Some agents send the first updates of a session before they answer `session/new`. */
  #opening(): JsonObject {
    return [...this.#byClient.values()].find(({ method }) => opensSession(method))?.params ?? {};
  }

  async #find(sessionId: string): Promise<RecordedThread | undefined> {
    const { register, agentId } = this.#options;
    const known = this.#threads.get(sessionId);
    if (known !== undefined) return known;
    if (this.#threads.size >= maxSessions)
      throw new RangeError(`More than ${maxSessions} sessions of one agent are not recorded.`);
    const threadId = (await threadsBySession(register, agentId)).get(sessionId);
    if (threadId === undefined) return undefined;
    const thread = new RecordedThread(threadId, register);
    this.#threads.set(sessionId, thread);
    return thread;
  }

  async #create(sessionId: string, params: JsonObject, answer: JsonObject): Promise<RecordedThread> {
    const { register, agentId, cwd } = this.#options;
    const { additionalDirectories: more, sessionId: parent } = params;
    const parentThread = typeof parent === "string" && parent !== sessionId ? this.#threads.get(parent) : undefined;
    const { id } = await register.createThread({
      agent_id: agentId,
      cwd: typeof params.cwd === "string" ? params.cwd : cwd,
      parent_thread_id: parentThread?.threadId ?? null,
      additional_directories: Array.isArray(more) ? more.filter((folder) => typeof folder === "string") : [],
    });
    const thread = new RecordedThread(id, register);
    this.#threads.set(sessionId, thread);
    thread.opened(sessionId, answer);
    thread.record({ type: "sandbox_changed", sandbox });
    return thread;
  }

  #lost(count: number): void {
    const reason = "signalbox proxy could not reach the host, or it was too slow.";
    for (const thread of this.#threads.values()) thread?.record({ type: "entries_lost", count, reason });
  }

  /** A thread that was deleted meanwhile is not recorded any more. */
  async #settle(): Promise<void> {
    for (const [sessionId, thread] of this.#threads) {
      if (thread === undefined) continue;
      await this.#options.register.settled(thread.threadId).catch((error: unknown) => {
        this.#threads.set(sessionId, undefined);
        this.#options.onProblem(messageOf(error));
      });
    }
  }
}

function opensSession(method: string): boolean {
  return method === "session/new" || method === "session/fork";
}

function key(id: Json | undefined): string {
  return JSON.stringify(id ?? null);
}
