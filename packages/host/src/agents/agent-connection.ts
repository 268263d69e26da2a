// Connects to a started agent over ACP. Updates and vendor notifications are read from the raw line, because the SDK drops what it
// does not know; requests and answers go through the SDK. Every request ends when the process does.
import { type AnyMessage, type ClientApp, type ClientConnection, client, methods } from "@agentclientprotocol/sdk";
import { type Json, messageOf, readText, type Update } from "@signalbox/protocol";
import { type AgentLine, AgentLineParser, type LogSource, sourceOfLine, stagedParts } from "@signalbox/tinyvex";
import { HostError } from "../data/host-error.ts";
import type { AgentActivity } from "./agent-activity.ts";
import { describeEnding, describeOutput } from "./agent-exit.ts";
import { AgentProcess, type AgentProcessOptions } from "./agent-process.ts";
import type { QuirksInUse } from "./agent-quirks.ts";
import { LongLines, longLineBytes, type ReadLongLine } from "./long-lines.ts";
import { OpenRequests } from "./open-requests.ts";
import type { PidLedger } from "./pid-ledger.ts";
import type { AgentDefinition } from "./registry.ts";

/** Receives an agent's notifications, in the order in which it sent them. */
export interface AgentListener {
  /** `source`: the params as they go into the log. Long strings of what a tool put out are only there. */
  update(update: Update, source: LogSource | undefined): void;
  /** Called before `update` where the source has long texts: stores them, so that the update takes little time. */
  stage(update: Update | null, source: LogSource): Promise<void>;
  /** A message that is not read; `source` has the line as one text, where it was kept. */
  refused(what: string, problem: string, source: LogSource | undefined): void;
  notification(method: string, params: unknown, source: LogSource | undefined): void;
}

interface AgentConnectionOptions {
  readonly definition: AgentDefinition;
  readonly cwd: string;
  readonly listener: AgentListener;
  /** Adds the handlers for the agent's requests. */
  readonly serve: (app: ClientApp) => ClientApp;
  /** Called when the answer to a request of the agent was written to it. */
  readonly onAnswered: (requestId: unknown) => void;
  readonly ledger: PidLedger;
  readonly activity: AgentActivity;
  readonly quirks: QuirksInUse;
  readonly sandbox?: AgentProcessOptions["sandbox"];
}

export class AgentConnection {
  readonly #definition: AgentDefinition;
  readonly #process: AgentProcess;
  readonly #connection: ClientConnection;
  readonly #exit: Promise<never>;
  readonly #activity: AgentActivity;
  readonly #quirks: QuirksInUse;

  constructor(options: AgentConnectionOptions) {
    const { definition, cwd, listener, serve, onAnswered, ledger, activity, quirks, sandbox } = options;
    this.#definition = definition;
    this.#activity = activity;
    this.#quirks = quirks;
    let toSdk: ReadableStreamDefaultController<AnyMessage> | undefined;
    const readable = new ReadableStream<AnyMessage>({
      start(controller) {
        toSdk = controller;
      },
    });
    const parser = new AgentLineParser();
    const longLines = new LongLines();
    const open = new OpenRequests();
    /** The ids of requests that the agent has not answered. */
    const asked = new Set<unknown>();
    const receive = (parsed: AgentLine, length: number) => {
      if (handleNotification(parsed, listener)) return;
      const { message } = parsed;
      if ("method" in message && "id" in message) open.add(message.id, length);
      // The SDK would print it on the host's own output, with whatever the agent wrote as its id.
      if (!("method" in message) && !asked.delete(message.id))
        return activity.addOutput("[Signalbox: the agent answered a request that was not sent]\n");
      toSdk?.enqueue(message as AnyMessage);
    };
    const receiveLong = async (line: Buffer) => {
      const { length } = line;
      const read = await longLines.read(line);
      if (read.type === "no_message") return process.keepOutput(Buffer.from(read.beginning));
      activity.noteMessage();
      if (read.type !== "message") return await refuse(read);
      const parsed = parser.parseRead(read);
      if (parsed === null) return;
      for await (const part of stagedParts(parsed, (update, source) => listener.stage(update, source)))
        receive(part, length);
    };
    const refuse = async (read: RefusedLine) => {
      const { id, method } = readHead(read);
      const { problem } = read;
      const message = `Signalbox did not read this message: ${problem}.`;
      const answer = id === undefined ? undefined : makeErrorAnswer(id, message);
      if (answer !== undefined && method !== undefined) process.send(JSON.stringify(answer)).catch(() => {});
      else if (answer !== undefined && asked.delete(id)) toSdk?.enqueue(answer);
      const source = read.type === "refused" ? sourceOfLine(read.text) : undefined;
      if (source !== undefined) await listener.stage(null, source);
      listener.refused(method ?? "answer", problem, source);
    };
    const onLine = (line: Buffer) => {
      if (line.length > longLineBytes) return receiveLong(line);
      const parsed = parser.parse(line);
      if (parsed === null) return process.keepOutput(line);
      activity.noteMessage();
      receive(parsed, line.length);
      return undefined;
    };
    const onOutput = (text: string) => activity.addOutput(text);
    const process = new AgentProcess(definition, cwd, onLine, { ledger, onOutput, sandbox });
    this.#process = process;
    const writable = new WritableStream<AnyMessage>({
      write: async (message) => {
        try {
          if ("method" in message && "id" in message) asked.add(message.id);
          await process.send(JSON.stringify(message));
          if ("method" in message || !("id" in message)) return;
          open.remove(message.id);
          onAnswered(message.id);
        } catch (error) {
          // The SDK writes nothing any more, so the agent would wait for ever. A broken pipe needs no more: the process is ending.
          if (!isPipeError(error)) process.kill(`a message could not be sent to it: ${messageOf(error)}`);
          throw error;
        }
      },
    });
    this.#connection = serve(client({ name: "signalbox" })).connect({ readable, writable });
    this.#exit = process.exited.then((exit) => {
      longLines.close();
      this.#connection.close();
      const tail = describeOutput(exit);
      throw new HostError(
        "agent_failed",
        `The agent ${definition.label} ${describeEnding(exit)}${tail === "" ? "" : `\n${tail}`}`,
      );
    });
    this.#exit.catch(() => {});
  }

  /** Rejects, with the reason and the end of stderr, when the process is gone. */
  get gone(): Promise<never> {
    return this.#exit;
  }

  get pid(): number | undefined {
    return this.#process.pid;
  }

  get isGone(): boolean {
    return this.#connection.signal.aborted;
  }

  async request<Result>(method: string, params: unknown): Promise<Result> {
    try {
      return await this.#activity.requests.during("to_agent", method, null, () =>
        Promise.race([this.#connection.agent.request<Result>(method, params), this.#exit]),
      );
    } catch (error) {
      // The process's end explains more than the closed connection.
      if (this.#connection.signal.aborted) await this.#exit;
      if (error instanceof HostError) throw error;
      throw new HostError(
        "agent_failed",
        `${this.#definition.label} answered ${method} with an error: ${describeError(error)}`,
        {
          cause: error,
          details: readDetails(error),
        },
      );
    }
  }

  notify(method: string, params: unknown): Promise<void> {
    return this.#connection.agent.notify(method, params);
  }

  stop(): Promise<void> {
    return this.#process.stop(this.#quirks.current);
  }
}

type RefusedLine = Extract<ReadLongLine, { type: "refused" | "lost" }>;

/** The id and method of a message that is not read, as far as they are known. */
function readHead(read: RefusedLine): { id: string | number | undefined; method: string | undefined } {
  const { id, method } = read.type === "refused" ? read.head : {};
  return {
    id: typeof id === "string" || typeof id === "number" ? id : undefined,
    method: typeof method === "string" ? method : undefined,
  };
}

function makeErrorAnswer(id: string | number, message: string): AnyMessage {
  return { jsonrpc: "2.0", id, error: { code: -32_600, message } };
}

/** Passes a notification to the listener. False when the SDK has to see the message too. */
function handleNotification({ message, update, source }: AgentLine, listener: AgentListener): boolean {
  // One that names no session is logged like any other notification.
  if (update !== null && update.sessionId !== null) {
    listener.update(update, source);
    return true;
  }
  const { method, params } = message;
  if (typeof method !== "string" || "id" in message) return false;
  if (method.startsWith("$/")) return false;
  listener.notification(method, params, source);
  // It ends a request of the agent, so it also goes through the SDK, after that request.
  return method !== methods.client.elicitation.complete;
}

/** Errors of Node's streams have a code. */
function isPipeError(error: unknown): boolean {
  return error instanceof Error && "code" in error;
}

function describeError(error: unknown): string {
  const data = typeof error === "object" && error !== null && "data" in error ? error.data : undefined;
  const details = readText(data, "details");
  return details === null ? messageOf(error) : `${messageOf(error)}: ${details}`;
}

function readDetails(error: unknown): Json {
  if (typeof error !== "object" || error === null) return null;
  const code = "code" in error && typeof error.code === "number" ? error.code : null;
  return { code, data: "data" in error ? ((error.data ?? null) as Json) : null };
}
