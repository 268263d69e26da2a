// Remembers of the messages between an editor and the host what is needed to go on with another host: open requests, sessions and how far the
// editor has read them. Ids that a later host gives its requests are changed, so that an answer to an old question cannot answer a new one.
import { isJsonObject, type Json, type JsonObject, readText, toFields } from "@signalbox/protocol";

type Id = string | number | null;

interface Open {
  readonly id: Id;
  readonly method: string;
  readonly sessionId: string | undefined;
  /** Of a request that opens a session: what another host needs to open it again. */
  readonly opening: JsonObject | undefined;
}

interface ReadPosition {
  readonly seq: number;
  readonly offset?: number;
}

const bridgePrefix = "signalbox-bridge-";

export class AcpTraffic {
  /** The editor's requests without an answer, by their id as JSON. */
  readonly #open = new Map<string, Open>();
  /** The host's requests without an answer, by the id that the editor sees, as JSON: the id that the host gave. */
  readonly #asked = new Map<string, { readonly id: Id; readonly hostId: Id }>();
  /** How far the editor has read each open session. */
  readonly #read = new Map<string, ReadPosition>();
  /** What the editor gave when it opened each session. */
  readonly #openings = new Map<string, JsonObject>();
  #initialize: Json | undefined;
  /** How many hosts were there before this one. */
  #generation = 0;
  #nextOwn = 1;
  readonly #onOwnAnswer = new Map<string, () => void>();
  #onAnswered: (() => void) | undefined;

  /** A message of the editor; null for one that the present host must not get. */
  toHost(line: string, message: JsonObject): string | null {
    const { method } = message;
    if (typeof method === "string") {
      if ("id" in message) this.#open.set(key(message.id), openRequest(parseId(message.id), method, message.params));
      if (method === "initialize") this.#initialize = message.params ?? {};
      if (method === "session/load") this.#read.delete(readSession(message.params) ?? "");
      return line;
    }
    const asked = this.#asked.get(key(message.id));
    if (asked === undefined) return null;
    this.#asked.delete(key(message.id));
    return asked.id === asked.hostId ? line : JSON.stringify({ ...message, id: asked.hostId });
  }

  /** A frame of the host, for the editor; null for an answer that is not for it. */
  toClient(frame: string): string | null {
    const end = frame.indexOf("\n");
    if (end >= 0) {
      const { threadId, seq, offset } = JSON.parse(frame.slice(end + 1)) as ReadPosition & {
        readonly threadId: string;
      };
      this.#read.set(threadId, offset === undefined ? { seq } : { seq, offset });
      return frame.slice(0, end);
    }
    const message: Json = JSON.parse(frame);
    if (!isJsonObject(message)) return frame;
    const { id, method } = message;
    if (typeof method === "string") return this.#asks(frame, message, method);
    if (typeof id === "string" && id.startsWith(bridgePrefix)) {
      this.#onOwnAnswer.get(id)?.();
      this.#onOwnAnswer.delete(id);
      return null;
    }
    this.#answered(id, message.result);
    return frame;
  }

  /** The host is gone. Gives the editor's requests that have no answer, and the host's that need none any more. */
  lose(): { readonly lost: readonly Id[]; readonly withdrawn: readonly Id[] } {
    const lost = [...this.#open.values()].map(({ id }) => id);
    const withdrawn = [...this.#asked.values()].map(({ id }) => id);
    this.#open.clear();
    this.#asked.clear();
    this.#onOwnAnswer.clear();
    this.#generation++;
    return { lost, withdrawn };
  }

  /**
   * Opens the editor's sessions at another host, each where the editor's copy ends; does nothing at the first one. Resolves when the host has
   * answered: until then it takes nothing else. A host that is gone does not answer.
   */
  async reattach(send: (request: string) => void): Promise<void> {
    if (this.#initialize === undefined || this.#generation === 0) return;
    await this.#ask(send, "initialize", this.#initialize);
    const sessions = [...this.#read].map(([sessionId, { seq, offset }]) => {
      const { _meta, ...opening } = this.#openings.get(sessionId) ?? { cwd: "/", mcpServers: [] };
      const given = toFields(_meta);
      // Where the editor's copy ends now: what it said itself is from before.
      const meta = { ...given, "signalbox/afterSeq": seq, "signalbox/afterOffset": offset };
      return this.#ask(send, "session/resume", { ...opening, sessionId, _meta: meta });
    });
    await Promise.all(sessions);
  }

  /** Resolves when no request of the editor is open, prompts aside: those go on without it. */
  whenAnswered(): Promise<void> {
    const isWaiting = () => [...this.#open.values()].some(({ method }) => method !== "session/prompt");
    return new Promise((resolve) => {
      const check = () => {
        if (!isWaiting()) resolve();
      };
      this.#onAnswered = check;
      check();
    });
  }

  /** A request of its own, which the editor does not see. */
  #ask(send: (request: string) => void, method: string, params: Json): Promise<void> {
    const id = `${bridgePrefix}${this.#nextOwn++}`;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#onOwnAnswer.set(id, resolve);
    send(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
    return promise;
  }

  #asks(frame: string, message: JsonObject, method: string): string {
    const { params } = message;
    if (method === "$/cancel_request" && isJsonObject(params)) {
      const id = this.#idForEditor(parseId(params.requestId));
      this.#asked.delete(key(id));
      return this.#generation === 0 ? frame : JSON.stringify({ ...message, params: { ...params, requestId: id } });
    }
    if (!("id" in message)) return frame;
    const hostId = parseId(message.id);
    const id = this.#idForEditor(hostId);
    this.#asked.set(key(id), { id, hostId });
    return id === hostId ? frame : JSON.stringify({ ...message, id });
  }

  /** The id that the editor sees. */
  #idForEditor(hostId: Id): Id {
    return this.#generation === 0 ? hostId : `${this.#generation}:${String(hostId)}`;
  }

  #answered(id: Json | undefined, result: Json | undefined): void {
    const open = this.#open.get(key(id));
    this.#open.delete(key(id));
    this.#onAnswered?.();
    if (open === undefined || !isJsonObject(result)) return;
    const sessionId = typeof result.sessionId === "string" ? result.sessionId : open.sessionId;
    if (sessionId === undefined) return;
    if (open.opening !== undefined) this.#openings.set(sessionId, open.opening);
    switch (open.method) {
      case "session/new":
      case "session/fork":
        // Its first updates follow.
        if (!this.#read.has(sessionId)) this.#read.set(sessionId, { seq: 0 });
        return;
      case "session/load":
      case "session/resume":
        if (!this.#read.has(sessionId)) this.#read.set(sessionId, { seq: readSeq(result) });
        return;
      case "session/close":
      case "session/delete":
        this.#read.delete(sessionId);
        this.#openings.delete(sessionId);
        return;
      default:
        return;
    }
  }
}

const opens: ReadonlySet<string> = new Set(["session/new", "session/load", "session/resume", "session/fork"]);

function openRequest(id: Id, method: string, params: Json | undefined): Open {
  return { id, method, sessionId: readSession(params), opening: opens.has(method) ? readOpening(params) : undefined };
}

function readOpening(params: Json | undefined): JsonObject {
  const { cwd = "/", mcpServers = [], _meta }: JsonObject = toFields(params);
  return { cwd, mcpServers, ...(isJsonObject(_meta) ? { _meta } : {}) };
}

function readSession(params: Json | undefined): string | undefined {
  return readText(params, "sessionId") ?? undefined;
}

function readSeq({ _meta }: JsonObject): number {
  const seq = toFields(_meta)["signalbox/seq"];
  return typeof seq === "number" ? seq : 0;
}

function key(id: Json | undefined): string {
  return JSON.stringify(id ?? null);
}

function parseId(id: Json | undefined): Id {
  return typeof id === "string" || typeof id === "number" ? id : null;
}
