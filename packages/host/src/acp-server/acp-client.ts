// Connects one ACP client: reads its frames, and attaches it to threads. Requests and answers go through ACP's SDK; what agents sent goes to
// the client as text, after it is committed.
import { type AgentConnection, type AnyMessage, agent, methods } from "@agentclientprotocol/sdk";
import { isJsonObject, isNestedTooDeep, type Json, type JsonObject, toFields } from "@signalbox/protocol";
import type { Editor } from "../acp/editors.ts";
import { HostError } from "../data/host-error.ts";
import type { AcpServices, Outlet } from "./acp-services.ts";
import { Attachment } from "./attachment.ts";
import { type ClientKnowledge, parseSubAgentId, readKnowledge } from "./client-updates.ts";
import type { Position } from "./position.ts";
import { badFrame, toRequestError } from "./request-errors.ts";
import { type AttachedClient, type SessionRequest, sessionRequests } from "./session-requests.ts";
import { passOn, readVendorMessage, type VendorMessage } from "./vendor-methods.ts";

/** What a client says in the address that it connects to. */
interface AcpClientOptions {
  /** The agent of new threads. */
  readonly agentId: string | null;
  /** The thread that the first `session/new` gives. */
  readonly threadId: string | null;
  /** Each update's frame has a second line with its position: for a process that passes the first one on. */
  readonly hasPositions: boolean;
}

interface AttachedThread {
  readonly attachment: Attachment;
  readonly removeEditor: () => void;
}

export class AcpClient implements AttachedClient {
  readonly services: AcpServices;
  readonly agentId: string | null;
  readonly #outlet: Outlet;
  readonly #options: AcpClientOptions;
  readonly #connection: AgentConnection;
  readonly #attached = new Map<string, AttachedThread>();
  readonly #afterAnswer = new Map<unknown, () => void>();
  /** The ids of requests that the client has not answered. */
  readonly #asked = new Set<unknown>();
  #toSdk: ReadableStreamDefaultController<AnyMessage> | undefined;
  #capabilities: JsonObject = {};
  /** The client wants the position of each update in its `_meta`. */
  #wantsPositions = false;
  #firstThread: string | null;

  constructor(services: AcpServices, outlet: Outlet, options: AcpClientOptions) {
    this.services = services;
    this.agentId = options.agentId;
    this.#outlet = outlet;
    this.#options = options;
    this.#firstThread = options.threadId;
    const readable = new ReadableStream<AnyMessage>({
      start: (controller) => {
        this.#toSdk = controller;
      },
    });
    const writable = new WritableStream<AnyMessage>({
      write: (message) => {
        if ("method" in message && "id" in message) this.#asked.add(message.id);
        outlet.send(JSON.stringify(message));
        if ("method" in message || !("id" in message)) return;
        this.#afterAnswer.get(message.id)?.();
        this.#afterAnswer.delete(message.id);
      },
    });
    this.#connection = this.#app().connect({ readable, writable });
  }

  get knows(): ClientKnowledge {
    return readKnowledge(this.#capabilities);
  }

  get isGone(): boolean {
    return this.#connection.signal.aborted;
  }

  /** A frame of the client, or why it is not read. What is no message of JSON-RPC is answered with ACP's error. */
  receive(text: string | { readonly problem: string }): Promise<void> | void {
    if (typeof text !== "string") return this.#refuse(text.problem, "request");
    let message: Json;
    try {
      message = JSON.parse(text);
    } catch {
      return this.#refuse("This is not JSON.", "parse");
    }
    if (isNestedTooDeep(message)) return this.#refuse("This message is nested too deep.", "request");
    const { method, params } = toFields(message);
    if (method === methods.agent.initialize) this.#readCapabilities(params);
    const vendor = readVendorMessage(message);
    if (vendor !== null) return this.#passOn(vendor);
    // The SDK would print an answer that it does not expect on the host's own output, with whatever the client wrote as its id.
    if (isAnswer(message) && !this.#asked.delete(message.id)) return;
    this.#toSdk?.enqueue(message as AnyMessage);
  }

  async #passOn(message: VendorMessage): Promise<void> {
    const answer = await passOn(this.services, message, [...this.#attached.keys()]);
    if (answer !== null && !this.isGone) this.#outlet.send(JSON.stringify(answer));
  }

  /** As they were sent: the SDK drops those that are not in the stable part of the protocol. */
  #readCapabilities(params: Json | undefined): void {
    const sent = toFields(params).clientCapabilities;
    this.#capabilities = toFields(sent);
    const { _meta: meta } = this.#capabilities;
    this.#wantsPositions = toFields(meta)["signalbox/positions"] === true;
  }

  /** The client is gone. Its turns go on. */
  end(): void {
    this.#connection.close();
    for (const threadId of this.#attached.keys()) this.detach(threadId);
  }

  takeFirstThread(): string | null {
    const threadId = this.#firstThread;
    this.#firstThread = null;
    return threadId;
  }

  afterAnswer(requestId: unknown, work: () => void): void {
    this.#afterAnswer.set(requestId, work);
  }

  attachment(threadId: string): Attachment | undefined {
    return this.#attached.get(threadId)?.attachment;
  }

  attach(threadId: string, after: Position): Attachment {
    this.detach(threadId);
    const { elicitation } = this.#capabilities;
    const attachment = new Attachment({
      services: this.services,
      threadId,
      after,
      client: this.#connection.client,
      outlet: this.#outlet,
      notify: (method, params, position) => this.#notify(method, params, position),
      knows: this.knows,
      elicitation: {
        form: isJsonObject(elicitation) && isJsonObject(elicitation.form),
        url: isJsonObject(elicitation) && isJsonObject(elicitation.url),
      },
    });
    const removeEditor = this.services.editors.add(threadId, this.#editor(threadId));
    this.#attached.set(threadId, { attachment, removeEditor });
    return attachment;
  }

  detach(threadId: string): void {
    const known = this.#attached.get(threadId);
    if (known === undefined) return;
    this.#attached.delete(threadId);
    known.removeEditor();
    known.attachment.end(new HostError("conflict", "The client opened this session again, or closed it."));
  }

  #app() {
    const app = agent({ name: "signalbox" })
      .onRequest(methods.agent.initialize, () => ({
        protocolVersion: 1,
        agentInfo: { name: "signalbox", title: "Signalbox", version: this.services.version },
        agentCapabilities,
        authMethods: [],
        // As other agents say it: the SDK does not know this one.
        _meta: { steering: { supported: true } },
      }))
      .onNotification(methods.agent.session.cancel, toFields, async ({ params }) => {
        const { sessionId } = params;
        if (typeof sessionId !== "string") return;
        const subAgent = parseSubAgentId(sessionId);
        const { sessions } = this.services;
        // A thread that is not there has nothing to cancel, and a notification has no answer.
        if (subAgent === null) await sessions.cancel(sessionId).catch(() => {});
        else sessions.running(subAgent.threadId)?.agentSide.cancelSubAgent(subAgent.sessionId);
      });
    for (const [method, answer] of Object.entries<SessionRequest>(sessionRequests)) {
      app.onRequest(method, toFields, async ({ params, requestId, signal }) => {
        try {
          return await answer(this, params, { requestId, signal });
        } catch (error) {
          throw toRequestError(error);
        }
      });
    }
    return app;
  }

  #editor(sessionId: string): Editor {
    const { fs } = this.#capabilities;
    const { readTextFile, writeTextFile } = methods.client.fs;
    const { client } = this.#connection;
    const reads = toFields(fs).readTextFile === true;
    const writes = toFields(fs).writeTextFile === true;
    return {
      read: reads
        ? async (params) => (await client.request(readTextFile, { sessionId, ...params })).content
        : undefined,
      write: writes
        ? async (params) => void (await client.request(writeTextFile, { sessionId, ...params }))
        : undefined,
    };
  }

  #notify(method: string, params: string, position: Position & { readonly threadId: string }): void {
    const sent = this.#wantsPositions ? withPosition(params, position) : params;
    const text = `{"jsonrpc":"2.0","method":${JSON.stringify(method)},"params":${sent}}`;
    this.#outlet.send(this.#options.hasPositions ? `${text}\n${JSON.stringify(position)}` : text);
  }

  #refuse(problem: string, kind: "parse" | "request"): void {
    this.#outlet.send(JSON.stringify(badFrame(problem, kind)));
  }
}

function isAnswer(message: Json): message is JsonObject {
  return isJsonObject(message) && !("method" in message) && ["id", "result", "error"].some((name) => name in message);
}

/** What Signalbox can do with any agent; where an agent cannot, the request is answered with an error that says so. */
const agentCapabilities = {
  loadSession: true,
  promptCapabilities: { image: true, audio: true, embeddedContext: true },
  mcpCapabilities: { http: true, sse: true },
  sessionCapabilities: {
    list: {},
    resume: {},
    close: {},
    delete: {},
    fork: {},
    additionalDirectories: {},
    // Not in the stable part of the protocol yet, as `fork`.
    title: {},
    archive: {},
    status: {},
  },
};

/** Adds the position to the `_meta` of params; only for clients that ask for it. */
function withPosition(params: string, { seq, offset }: Position): string {
  const value: Json = JSON.parse(params);
  if (!isJsonObject(value)) return params;
  const meta = toFields(value._meta);
  const position = { "signalbox/seq": seq, ...(offset === undefined ? {} : { "signalbox/offset": offset }) };
  return JSON.stringify({ ...value, _meta: { ...meta, ...position } });
}
