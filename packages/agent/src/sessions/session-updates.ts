// Sends everything that a session shows to the client, in one order, and stores it for when the session is loaded again. Text that comes
// faster than the client reads it is sent in larger pieces.
import { randomBytes } from "node:crypto";
import type { SessionNotification, SessionUpdate } from "@agentclientprotocol/sdk";
import { mergeToolCall, textContent } from "@signalbox/tool-calls";

type Voice = "agent_message_chunk" | "agent_thought_chunk";
type CallUpdate = Extract<SessionUpdate, { sessionUpdate: "tool_call_update" }>;

interface Segment {
  readonly voice: Voice;
  readonly messageId: string;
  unsent: string;
  unkept: string;
}

interface UpdatesOptions {
  readonly sessionId: string;
  readonly send: (notification: SessionNotification) => Promise<void> | void;
  /** Keeps an update for replay. */
  readonly keep: (update: SessionUpdate) => void;
  /** Whether the client shows notices; otherwise they are said like a message. */
  readonly notices: boolean;
}

/** More than this waits in memory for no client. */
const maxUnsent = 65_536;
/** A crash loses at most so much of what was said. */
const maxUnkept = 4096;

export class SessionUpdates {
  readonly #options: UpdatesOptions;
  readonly #idPrefix = `msg_${randomBytes(6).toString("hex")}_`;
  /** Changes of calls since their last step. */
  readonly #changes = new Map<string, CallUpdate>();
  #nextId = 1;
  #segment: Segment | undefined;
  #sending: Promise<void> | undefined;

  constructor(options: UpdatesOptions) {
    this.#options = options;
  }

  /** Resolves, when it has to be waited for, as soon as the client has taken most of it. */
  appendText(text: string): Promise<void> | undefined {
    return this.#append("agent_message_chunk", text);
  }

  appendThought(text: string): Promise<void> | undefined {
    return this.#append("agent_thought_chunk", text);
  }

  /** Something the person should know that the model did not say. */
  showNotice(text: string): void {
    if (this.#options.notices) {
      this.show({ sessionUpdate: "notice", severity: "info", title: text });
      return;
    }
    this.showMessage(`\n\n*${text}*\n\n`);
  }

  /** Says a whole message. */
  showMessage(text: string): void {
    this.endMessage();
    void this.appendText(text);
    this.endMessage();
  }

  /** Shows something that a session that is loaded again does not need to show again. */
  show(update: SessionUpdate): void {
    this.endMessage();
    void this.#send(update);
  }

  /** Keeps what the client knows already: the user's own words. */
  keep(update: SessionUpdate): void {
    this.endMessage();
    this.#options.keep(update);
  }

  /** Tool calls and plans. Returns when they are taken, so that the sender can wait. */
  track(update: SessionUpdate): Promise<void> | undefined {
    if (update.sessionUpdate !== "tool_call_update") this.endMessage();
    this.#keepTracked(update);
    return this.#send(update);
  }

  /** Ends the message; the next text begins another one. */
  endMessage(): void {
    const segment = this.#segment;
    if (segment === undefined) return;
    this.#segment = undefined;
    const { unsent, unkept } = segment;
    // Emptied, because a piece that is on its way looks for more when it has arrived.
    segment.unsent = "";
    if (unsent !== "") void this.#send(chunk(segment, unsent));
    if (unkept !== "") this.#options.keep(chunk(segment, unkept));
  }

  #append(voice: Voice, text: string): Promise<void> | undefined {
    if (text === "") return undefined;
    if (this.#segment?.voice !== voice) this.endMessage();
    this.#segment ??= { voice, messageId: `${this.#idPrefix}${this.#nextId++}`, unsent: "", unkept: "" };
    const segment = this.#segment;
    segment.unsent += text;
    segment.unkept += text;
    if (segment.unkept.length > maxUnkept) {
      this.#options.keep(chunk(segment, segment.unkept));
      segment.unkept = "";
    }
    if (this.#sending === undefined) this.#sendText(segment);
    return segment.unsent.length > maxUnsent ? this.#sending : undefined;
  }

  /** Sends what there is, and when it is taken what has come meanwhile. */
  #sendText(segment: Segment): void {
    const sent = this.#send(chunk(segment, segment.unsent));
    segment.unsent = "";
    this.#sending = sent?.then(() => {
      this.#sending = undefined;
      if (segment.unsent !== "") this.#sendText(segment);
    });
  }

  #send(update: SessionUpdate): Promise<void> | undefined {
    const taken = this.#options.send({ sessionId: this.#options.sessionId, update });
    // A client that is gone is noticed where the connection is.
    return taken?.catch(() => {});
  }

  /** Of a call its beginning, its start and its end are kept, each with what changed until then. */
  #keepTracked(update: SessionUpdate): void {
    if (update.sessionUpdate !== "tool_call_update") {
      this.#options.keep(update);
      return;
    }
    const unkept = this.#changes.get(update.toolCallId);
    const changes = unkept === undefined ? update : mergeToolCall(unkept, update);
    if (update.status === undefined) this.#changes.set(update.toolCallId, changes);
    else {
      this.#changes.delete(update.toolCallId);
      this.#options.keep(changes);
    }
  }
}

function chunk({ voice, messageId }: Segment, text: string): SessionUpdate {
  return { sessionUpdate: voice, content: { type: "text", text }, messageId };
}

const goneTerminal = textContent("(The output was shown in a terminal of the client, which is gone.)");

/** An update as it is replayed: terminals of an earlier client mean nothing to this one. */
export function withoutTerminals(update: SessionUpdate): SessionUpdate {
  if (update.sessionUpdate !== "tool_call" && update.sessionUpdate !== "tool_call_update") return update;
  const { content } = update;
  if (!content?.some(({ type }) => type === "terminal")) return update;
  return { ...update, content: content.map((part) => (part.type === "terminal" ? goneTerminal : part)) };
}
