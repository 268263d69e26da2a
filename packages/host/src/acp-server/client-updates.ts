// Translates what an agent sent into what the client knows: the host advertises everything to agents, and not every client does. What the client
// knows passes as it is.
import {
  assertNever,
  buildNestedCallId,
  isJsonObject,
  type Json,
  type JsonObject,
  makeChunk,
  makePlan,
  makeToolCall,
  makeToolCallUpdate,
  type PlanWithId,
  partsOfCallId,
  type SubAgentAnnouncement,
  sessionOfSubAgent,
  subAgentCallId,
  type ToolCallFields,
  type ToolCallUpdate,
  toFields,
  type Update,
  withPlan,
} from "@signalbox/protocol";

/** What the client says that it knows. */
export interface ClientKnowledge {
  readonly subAgents: boolean;
  readonly plans: boolean;
  readonly notices: boolean;
  readonly compaction: boolean;
  readonly booleanOptions: boolean;
}

export function readKnowledge(capabilities: JsonObject): ClientKnowledge {
  const session = toFields(capabilities.session);
  const { configOptions } = session;
  return {
    subAgents: isJsonObject(capabilities.subagents),
    plans: isJsonObject(capabilities.plan),
    notices: isJsonObject(session.notices),
    compaction: isJsonObject(session.compaction),
    booleanOptions: isJsonObject(toFields(configOptions).boolean),
  };
}

/** What the client gets for an update of the agent. */
type TranslatedUpdate =
  /** The update as it was sent, in this session. `inUpdate`: the ids that sessions in it have for the client. */
  | { readonly type: "as_sent"; readonly sessionId: string; readonly inUpdate?: (id: string) => string }
  /** This instead. */
  | { readonly type: "instead"; readonly update: JsonObject }
  | { readonly type: "nothing" };

const nothing = { type: "nothing" } as const;

export class ClientUpdates {
  readonly #threadId: string;
  readonly #knows: ClientKnowledge;
  /** Sessions of sub-agents. */
  readonly #subAgents = new Set<string>();
  #plans: readonly PlanWithId[] = [];

  constructor(threadId: string, knows: ClientKnowledge) {
    this.#threadId = threadId;
    this.#knows = knows;
  }

  /** A sub-agent that was announced before the place where the client begins, by the call that stands for it. */
  knowSubAgent(toolCallId: string): void {
    const sessionId = sessionOfSubAgent(toolCallId);
    if (sessionId !== null) this.#subAgents.add(sessionId);
  }

  translate(update: Update): TranslatedUpdate {
    const { sessionId } = update;
    if (sessionId !== null && this.#subAgents.has(sessionId)) return this.#ofSubAgent(sessionId, update);
    return this.#ofAgent(update);
  }

  /** The thread's id of the tool call in an update. */
  callId({ sessionId, call: { toolCallId } }: ToolCallUpdate): string {
    const isOfSubAgent = sessionId !== null && this.#subAgents.has(sessionId);
    return isOfSubAgent ? buildNestedCallId(subAgentCallId(sessionId), toolCallId) : toolCallId;
  }

  /** Where the client knows a call of the thread: its session, and the id that the call has there. */
  findPlace(toolCallId: string): { readonly sessionId: string; readonly toolCallId: string } {
    const parts = this.#knows.subAgents ? partsOfCallId(toolCallId) : null;
    const session = parts === null ? null : sessionOfSubAgent(parts.subAgent);
    if (parts === null || session === null || !this.#subAgents.has(session)) {
      return { sessionId: this.#threadId, toolCallId };
    }
    return { sessionId: this.#makeId(session), toolCallId: parts.toolCallId };
  }

  #ofAgent(update: Update): TranslatedUpdate {
    const asSent = { type: "as_sent", sessionId: this.#threadId } as const;
    switch (update.type) {
      case "sub_agent":
        return this.#announced(update.announced, this.#threadId);
      case "session_message":
        return this.#knows.subAgents ? { ...asSent, inUpdate: (id) => this.#makeId(id) } : nothing;
      case "notice": {
        const content = { type: "text", text: `${update.text}\n\n` };
        return this.#knows.notices ? asSent : { type: "instead", update: makeChunk("agent_message_chunk", content) };
      }
      case "compaction":
        if (this.#knows.compaction) return asSent;
        return { type: "instead", update: callUpdate(update.call, update.isRunning) };
      case "compaction_summary":
        return this.#knows.compaction ? asSent : nothing;
      case "plan_with_id":
        return this.#knows.plans ? asSent : this.#planned(update.plan);
      case "config_options": {
        const all = Array.isArray(update.configOptions) ? update.configOptions : [];
        const configOptions = filterOptions(this.#knows, all);
        if (configOptions.length === all.length) return asSent;
        return { type: "instead", update: { ...update.fields, configOptions } };
      }
      case "message_chunk":
      case "tool_call":
      case "plan":
      case "mode":
      case "commands":
      case "usage":
      case "session_info":
      case "other":
        return asSent;
      case "malformed":
        return nothing;
      default:
        return assertNever(update);
    }
  }

  /** A client that knows no sub-agents gets their calls, and not their texts: those would read as the agent's own. */
  #ofSubAgent(sessionId: string, update: Update): TranslatedUpdate {
    if (update.type === "sub_agent") return this.#announced(update.announced, this.#makeId(sessionId));
    if (this.#knows.subAgents) {
      const translated = { type: "as_sent", sessionId: this.#makeId(sessionId) } as const;
      return update.type === "session_message" ? { ...translated, inUpdate: (id) => this.#makeId(id) } : translated;
    }
    if (update.type !== "tool_call") return nothing;
    const { toolCallId, _meta } = update.call;
    const parent = subAgentCallId(sessionId);
    const named = { toolCallId: buildNestedCallId(parent, toolCallId), _meta: { ..._meta, parentToolCallId: parent } };
    return { type: "instead", update: { ...update.fields, ...named } };
  }

  /** `parent` is the client's id of the session that started it. */
  #announced(announced: SubAgentAnnouncement | null, parent: string): TranslatedUpdate {
    if (announced === null) return nothing;
    const { sessionId, call } = announced;
    const isNew = !this.#subAgents.has(sessionId);
    this.#subAgents.add(sessionId);
    if (this.#knows.subAgents) return { type: "as_sent", sessionId: parent, inUpdate: (id) => this.#makeId(id) };
    return { type: "instead", update: callUpdate(isNew ? { title: "Sub-agent", ...call } : call, isNew) };
  }

  #planned(plan: PlanWithId | null): TranslatedUpdate {
    if (plan === null) return nothing;
    this.#plans = withPlan(this.#plans, plan);
    return { type: "instead", update: makePlan(this.#plans.flatMap((each) => each.entries)) };
  }

  /** The id that a session has for the client: below the thread's, so that an agent reaches no other thread with it. */
  #makeId(sessionId: string): string {
    return this.#subAgents.has(sessionId) ? subAgentId(this.#threadId, sessionId) : this.#threadId;
  }
}

/** The id by which clients know the session of a sub-agent. */
function subAgentId(threadId: string, sessionId: string): string {
  return `${threadId}/${sessionId}`;
}

/** The thread and the sub-agent that a client's session id means; null where it is that of a thread. */
export function parseSubAgentId(id: string): { readonly threadId: string; readonly sessionId: string } | null {
  const at = id.indexOf("/");
  return at < 0 ? null : { threadId: id.slice(0, at), sessionId: id.slice(at + 1) };
}

/** Config options that the client can draw. */
export function filterOptions(knows: ClientKnowledge, options: readonly Json[]): readonly Json[] {
  return knows.booleanOptions ? options : options.filter((option) => !isBoolean(option));
}

function isBoolean(option: Json): boolean {
  return toFields(option).type === "boolean";
}

function callUpdate(call: ToolCallFields, isNew: boolean): JsonObject {
  return isNew ? makeToolCall({ ...call, status: call.status ?? "pending" }) : makeToolCallUpdate(call);
}
