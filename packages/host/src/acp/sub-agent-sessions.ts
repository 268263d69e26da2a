// Knows the sessions of an agent's sub-agents, which the agent announces with `subagent_update`, and gives their tool calls the ids that the
// thread has for them. What an agent says of any other session counts as its own.
import {
  announcedSubAgent,
  buildNestedCallId,
  isJsonObject,
  type JsonObject,
  subAgentCallId,
} from "@signalbox/protocol";

/** More than any agent needs; an agent must not fill our memory with names. */
const maxSessions = 10_000;

export class SubAgentSessions {
  /** By session id: whether the client may cancel what it does. */
  readonly #sessions = new Map<string, boolean>();

  /** Reads an update, and gives it with the thread's id of its tool call. */
  read(params: unknown): unknown {
    if (!isJsonObject(params) || !isJsonObject(params.update)) return params;
    const { update } = params;
    const announced = announcedSubAgent(update);
    if (announced !== null) this.#announce(announced, update);
    const named = this.named(params.sessionId, update);
    return named === update ? params : { ...params, update: named };
  }

  has(sessionId: unknown): boolean {
    return typeof sessionId === "string" && this.#sessions.has(sessionId);
  }

  canCancel(sessionId: string): boolean {
    return this.#sessions.get(sessionId) === true;
  }

  /** What is left out stays as it was. */
  #announce(sessionId: string, { capabilities }: JsonObject): void {
    const known = this.#sessions.get(sessionId);
    if (known === undefined && this.#sessions.size >= maxSessions) return;
    const canCancel = isJsonObject(capabilities) && isJsonObject(capabilities.cancel);
    this.#sessions.set(sessionId, capabilities === undefined ? (known ?? false) : canCancel);
  }

  /** What has a `toolCallId`, with the thread's id in its place. */
  named<Fields extends JsonObject>(sessionId: unknown, fields: Fields): Fields {
    const { toolCallId } = fields;
    if (typeof sessionId !== "string" || !this.has(sessionId) || typeof toolCallId !== "string") return fields;
    return { ...fields, toolCallId: buildNestedCallId(subAgentCallId(sessionId), toolCallId) };
  }
}
