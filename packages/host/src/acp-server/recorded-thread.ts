// Records in one thread what a client and an agent outside of the host do in one session: prompts, updates, answered questions, files and commands.
import { randomUUID } from "node:crypto";
import {
  type ContentBlock,
  type Fact,
  isContentBlock,
  isJsonObject,
  type Json,
  type JsonObject,
  readUpdate,
  type StopReason,
  toFields,
  type Update,
  type UpdateFields,
} from "@signalbox/protocol";
import { type AgentLine, type Entry, type LogSource, type Register, stagedParts } from "@signalbox/tinyvex";
import { readPermission } from "../acp/permission-question.ts";
import { notReadNotice } from "../sessions/record-messages.ts";
import { sessionStarted } from "../sessions/session-settings.ts";

/** A message that answers a request. */
type Answer = JsonObject;

/** What a request of the agent asked, and when. */
export interface AgentRequest {
  readonly method: string;
  readonly params: JsonObject;
  readonly at: number;
}

interface Turn {
  readonly turnId: string;
  isStarted: boolean;
}

const decidedBy = "editor";

export class RecordedThread {
  readonly threadId: string;
  readonly #register: Pick<Register, "append" | "stage">;
  /** Prompts without an answer, by the key of their request, in order. */
  readonly #turns = new Map<string, Turn>();
  /** What is known of each terminal's output. */
  readonly #outputs = new Map<string, string>();

  constructor(threadId: string, register: Pick<Register, "append" | "stage">) {
    this.threadId = threadId;
    this.#register = register;
  }

  append(entry: Entry): void {
    this.#register.append(this.threadId, entry);
  }

  record(fact: Fact): void {
    this.append({ type: "fact", fact });
  }

  /** An update of the agent. Its long texts are stored in slices, so that nothing else waits for them. */
  async sent(line: AgentLine): Promise<void> {
    const stage = (update: Update | null, source: LogSource) => this.#register.stage(this.threadId, { update, source });
    for await (const { update, source } of stagedParts(line, stage))
      if (update !== null) this.append({ type: "update", update, source });
  }

  /** A message that is not read, because reading it would take too long. */
  async notRead(problem: string, source: LogSource | undefined): Promise<void> {
    if (source !== undefined) {
      await this.#register.stage(this.threadId, { update: null, source });
      this.append({ type: "update", update: readUpdate(null), source });
    }
    this.updated(notReadNotice("recorded", problem, source !== undefined));
  }

  /** The agent answered `session/new`, or opened the session again. */
  opened(sessionId: string, answer: JsonObject): void {
    this.record(sessionStarted(sessionId, answer));
  }

  /** Of two prompts that are sent together the second one waits, as far as one can see from outside. */
  prompted(requestKey: string, prompt: Json | undefined): void {
    const turn = { turnId: `turn-${randomUUID()}`, isStarted: false };
    const blocks: readonly ContentBlock[] = Array.isArray(prompt) ? prompt.filter(isContentBlock) : [];
    this.record({ type: "turn_queued", turn_id: turn.turnId, prompt_id: `proxy-${randomUUID()}`, prompt: blocks });
    this.#turns.set(requestKey, turn);
    if (this.#turns.size === 1) this.#start(turn);
  }

  answered(requestKey: string, { result, error }: Answer): void {
    const turn = this.#turns.get(requestKey);
    if (turn === undefined) return;
    this.#turns.delete(requestKey);
    this.#start(turn);
    const turn_id = turn.turnId;
    if (isJsonObject(error)) {
      const { message } = error;
      const sentence = typeof message === "string" ? message : "The agent answered with an error.";
      this.record({ type: "turn_failed", turn_id, error: { code: "agent_failed", message: sentence, details: error } });
    } else {
      const { stopReason, usage } = toFields(result);
      const stop_reason: StopReason = typeof stopReason === "string" ? stopReason : "end_turn";
      this.record({ type: "turn_ended", turn_id, stop_reason, ...(isJsonObject(usage) ? { usage } : {}) });
    }
    const [next] = this.#turns.values();
    if (next !== undefined) this.#start(next);
  }

  /** The client changed a setting; not every agent sends an update for a change that it was asked for. */
  updated(fields: UpdateFields): void {
    const update = readUpdate({ sessionId: "", update: { ...fields, _meta: { "signalbox/host": true } } });
    this.append({ type: "update", update });
  }

  /** The client answered a request of the agent. A question is recorded with its answer: only the client can give one. */
  served(asked: AgentRequest, answer: Answer): void {
    if (asked.method === "session/request_permission") this.#decided(asked.params, answer);
    else if (asked.method.startsWith("terminal/")) this.#terminal(asked, answer);
    if (asked.method !== "session/request_permission" && asked.method !== "terminal/output")
      this.#request(asked, answer);
  }

  /** Nothing more will be recorded. `failure` says how the agent ended, where it did. */
  end(failure: string | null): void {
    for (const turn of this.#turns.values()) {
      this.#start(turn);
      const turn_id = turn.turnId;
      if (failure === null) {
        this.record({ type: "turn_interrupted", turn_id, reason: "signalbox proxy ended, and the recording with it." });
      } else
        this.record({ type: "turn_failed", turn_id, error: { code: "agent_failed", message: failure, details: null } });
    }
    this.#turns.clear();
    this.record({ type: "session_ended", status: "idle", reason: failure });
  }

  #start(turn: Turn): void {
    if (turn.isStarted) return;
    turn.isStarted = true;
    this.record({ type: "turn_started", turn_id: turn.turnId });
  }

  #decided(params: JsonObject, { result }: Answer): void {
    const asked = readPermission(params);
    if (typeof asked === "string") return;
    const { toolCall: tool_call, options } = asked;
    const outcome = toFields(toFields(result).outcome);
    const chosen = options.find(({ optionId }) => optionId === outcome.optionId);
    const status = chosen === undefined ? "cancelled" : chosen.kind.startsWith("allow") ? "allowed" : "denied";
    const permission_id = `permission-${randomUUID()}`;
    this.record({ type: "permission_requested", permission_id, tool_call, options });
    const option_id = chosen?.optionId ?? null;
    this.record({ type: "permission_decided", permission_id, status, option_id, decided_by: decidedBy, rule: null });
  }

  #terminal({ method, params }: AgentRequest, { result }: Answer): void {
    const answer = toFields(result);
    const terminal_id = method === "terminal/create" ? answer.terminalId : params.terminalId;
    if (typeof terminal_id !== "string") return;
    if (method === "terminal/create") {
      const { command, args, cwd } = params;
      const words = [command, ...(Array.isArray(args) ? args : [])].filter((word) => typeof word === "string");
      this.#outputs.set(terminal_id, "");
      const folder = typeof cwd === "string" ? cwd : null;
      this.record({ type: "terminal_created", terminal_id, command: words.join(" "), cwd: folder });
    }
    if (method === "terminal/output") this.#output(terminal_id, answer);
    if (method === "terminal/wait_for_exit") this.#exited(terminal_id, answer);
  }

  /** Every answer has all of the output; only what is new is recorded. */
  #output(terminal_id: string, { output, exitStatus }: JsonObject): void {
    const known = this.#outputs.get(terminal_id);
    if (known === undefined || typeof output !== "string") return;
    const text = output.startsWith(known) ? output.slice(known.length) : output;
    if (text !== "") this.record({ type: "terminal_output", terminal_id, text });
    this.#outputs.set(terminal_id, output);
    if (isJsonObject(exitStatus)) this.#exited(terminal_id, exitStatus);
  }

  #exited(terminal_id: string, { exitCode, signal }: JsonObject): void {
    if (!this.#outputs.delete(terminal_id)) return;
    const exit_code = typeof exitCode === "number" ? exitCode : null;
    this.record({ type: "terminal_ended", terminal_id, exit_code, signal: typeof signal === "string" ? signal : null });
  }

  #request({ method, params, at }: AgentRequest, { error }: Answer): void {
    const { env, ...others } = params;
    // Values of environment variables may be secrets.
    const names = Array.isArray(env) ? { env: env.map((each) => toFields(each).name ?? null) } : {};
    const outcome = error === undefined ? "answered" : "refused";
    const duration_ms = Date.now() - at;
    const fact = { type: "agent_request", method, params: { ...others, ...names }, outcome, duration_ms } as const;
    this.record(error === undefined ? fact : { ...fact, error });
  }
}
