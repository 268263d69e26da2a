// Knows the sessions of an agent's sub-agents, which the agent announces with `subagent_update`, and gives their tool calls the ids that the
// thread has for them. What an agent says of any other session counts as its own.
import {
  buildNestedCallId,
  type Json,
  type JsonObject,
  type SubAgentAnnouncement,
  subAgentCallId,
  type ToolCallUpdate,
} from "@signalbox/protocol";

/** More than any agent needs; an agent must not fill our memory with names. */
const maxSessions = 10_000;

export class SubAgentSessions {
  /** By session id: whether the client may cancel what it does. */
  readonly #sessions = new Map<string, boolean>();

  /** Remembers a sub-agent. Fields that the announcement leaves out stay as they were. */
  add({ sessionId, canCancel }: SubAgentAnnouncement): void {
    const known = this.#sessions.get(sessionId);
    if (known === undefined && this.#sessions.size >= maxSessions) return;
    this.#sessions.set(sessionId, canCancel ?? known ?? false);
  }

  has(sessionId: string | null): boolean {
    return sessionId !== null && this.#sessions.has(sessionId);
  }

  canCancel(sessionId: string): boolean {
    return this.#sessions.get(sessionId) === true;
  }

  /** An update of a tool call with the id that the thread has for the call. */
  nameCall(update: ToolCallUpdate): ToolCallUpdate {
    const call = this.named(update.sessionId, update.call);
    return call === update.call ? update : { ...update, call };
  }

  /** What has a `toolCallId`, with the thread's id in its place. */
  named<Fields extends JsonObject>(sessionId: Json | undefined, fields: Fields): Fields {
    const { toolCallId } = fields;
    if (typeof sessionId !== "string" || !this.has(sessionId) || typeof toolCallId !== "string") return fields;
    return { ...fields, toolCallId: buildNestedCallId(subAgentCallId(sessionId), toolCallId) };
  }
}
