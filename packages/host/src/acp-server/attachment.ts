// Attaches one client to one thread: sends it the thread's log in ACP's words, puts the thread's questions to it, and reports the end of each
// prompt that it sent.
import type { AgentContext } from "@agentclientprotocol/sdk";
import { type ContentBlock, type Fact, isHostItem, type JsonObject } from "@signalbox/protocol";
import type { LogEvent } from "@signalbox/tinyvex";
import type { AcpServices, Outlet } from "./acp-services.ts";
import { ClientQuestions } from "./client-questions.ts";
import { type ClientKnowledge, ClientUpdates } from "./client-updates.ts";
import { LogFeed } from "./log-feed.ts";
import type { Position } from "./position.ts";
import { PromptEnds, type TurnEnd } from "./prompt-ends.ts";
import { announcement, hostUpdate, promptUpdates, readFact, sentNotifications } from "./translate.ts";

interface AttachmentOptions {
  readonly services: AcpServices;
  readonly threadId: string;
  /** What the client has; seq 0 for the whole history. */
  readonly after: Position;
  readonly client: AgentContext;
  readonly outlet: Outlet;
  readonly notify: (method: string, params: string, position: Position & { readonly threadId: string }) => void;
  readonly knows: ClientKnowledge;
  /** Forms and addresses that the client can show. */
  readonly elicitation: { readonly form: boolean; readonly url: boolean };
}

/** The turns whose prompts are read ahead for a client that begins in the middle. */
const turnsReadAhead = 100;
const subAgentsReadAhead = 1000;

export class Attachment {
  readonly #options: AttachmentOptions;
  readonly #feed: LogFeed;
  readonly #questions: ClientQuestions;
  readonly #prompts = new Map<string, readonly ContentBlock[]>();
  readonly #ends: PromptEnds;
  readonly #updates: ClientUpdates;
  /** Tool calls that the client knows; null for a client that begins in the middle: it may know any. */
  readonly #announced: Set<string> | null;
  /** Items of the host that a question was about: the client knows these. */
  readonly #askedItems = new Set<string>();

  constructor(options: AttachmentOptions) {
    const { services, threadId, after, client, outlet, knows } = options;
    this.#options = options;
    this.#updates = new ClientUpdates(threadId, knows);
    this.#questions = new ClientQuestions(services, threadId, client, this.#updates);
    this.#ends = new PromptEnds((turnId) => services.sessions.isHeld(threadId, turnId));
    this.#announced = after.seq === 0 ? new Set() : null;
    this.#feed = new LogFeed({
      register: services.register,
      threadId,
      // The rest of an event that the client has in part comes again.
      afterSeq: after.offset === undefined ? after.seq : after.seq - 1,
      outlet,
      onEvent: (event) => this.#receive(event),
      onLost: (error) => this.#ends.fail(error),
    });
  }

  /** Sends what the client misses, then follows. Resolves when it has everything that was there. */
  async start(): Promise<void> {
    const { after } = this.#options;
    if (after.seq > 0) {
      await this.#readSubAgents();
      await this.#readPrompts(after.seq);
      await this.#askAgain(after.seq);
    }
    await this.#feed.start();
  }

  get seq(): number {
    return this.#feed.seq;
  }

  /** The end of the turn of a prompt that this client is about to send. The client is not sent its own prompt. */
  expect(promptId: string): Promise<TurnEnd> {
    return this.#ends.expect(promptId);
  }

  /** The prompt was sent before, and this is its turn. */
  expectTurn(promptId: string, turnId: string): void {
    this.#ends.queued(promptId, turnId);
  }

  /** No request waits for the end of this prompt any more. */
  forget(promptId: string): void {
    this.#ends.forget(promptId);
  }

  end(error: unknown): void {
    this.#feed.end();
    this.#ends.fail(error);
  }

  #receive(event: LogEvent): void {
    const fact = readFact(event);
    if (fact === null) this.#forward(event);
    else this.#record(event, fact);
  }

  #forward(event: LogEvent): void {
    const { threadId, notify } = this.#options;
    const from = this.#findOffset(event.seq);
    for (const { method, params, position, toolCallId } of sentNotifications(threadId, event, this.#updates, from)) {
      // A client of ACP shows commands where the agent's calls show them. It gets an item of the host only with a question about it.
      const isByHost = toolCallId !== null && isHostItem({ tool_call_id: toolCallId });
      if (isByHost && !this.#askedItems.has(toolCallId)) continue;
      notify(method, params, { threadId, ...position });
      if (toolCallId !== null) this.#announced?.add(toolCallId);
    }
  }

  #record({ seq }: LogEvent, fact: Fact): void {
    switch (fact.type) {
      case "turn_queued":
        this.#prompts.set(fact.turn_id, fact.prompt);
        return this.#ends.queued(fact.prompt_id, fact.turn_id);
      case "turn_edited":
        this.#prompts.set(fact.turn_id, fact.prompt);
        return;
      case "turn_steered":
        if (this.#ends.steered(fact.prompt_id)) return;
        return this.#sendUpdates(seq, promptUpdates(fact.turn_id, fact.prompt));
      case "turn_started": {
        const prompt = this.#prompts.get(fact.turn_id) ?? [];
        this.#prompts.delete(fact.turn_id);
        if (this.#ends.started(fact.turn_id)) return;
        return this.#sendUpdates(seq, promptUpdates(fact.turn_id, prompt));
      }
      case "turn_ended":
      case "turn_failed":
      case "turn_interrupted":
      case "turn_removed":
        return this.#ends.ended(fact);
      case "permission_requested":
        this.#announce(seq, fact.tool_call);
        return this.#questions.permission(fact);
      case "permission_decided":
        return this.#questions.settled(fact.permission_id);
      case "elicitation_requested":
        if (this.#options.elicitation[fact.mode]) this.#questions.elicitation(fact);
        return;
      case "elicitation_decided":
        return this.#questions.settled(fact.elicitation_id);
      default:
        // The rest is about rows that ACP does not have.
        return;
    }
  }

  /** Sub-agents that were announced before the place where the client begins. */
  async #readSubAgents(): Promise<void> {
    const { services, threadId } = this.#options;
    const args = { thread_id: threadId, name: "subagent", limit: subAgentsReadAhead };
    const { rows } = await services.register.query("tool_calls.list", args);
    for (const { tool_call_id } of rows) this.#updates.knowSubAgent(tool_call_id);
  }

  /** Prompts that were queued before the place where the client begins, and run after it. */
  async #readPrompts(until: number): Promise<void> {
    const { services, threadId } = this.#options;
    const { register } = services;
    const { rows } = await register.query("turns.list", { thread_id: threadId, limit: turnsReadAhead });
    for (const { turn_id, status, prompt, seq, last_seq } of rows) {
      if (seq > until || last_seq <= until) continue;
      const [event] = status === "queued" ? [] : await register.readSent(threadId, seq - 1, 1);
      const fact = event === undefined ? null : readFact(event);
      this.#prompts.set(turn_id, fact?.type === "turn_queued" ? fact.prompt : prompt);
    }
  }

  /** Questions that were asked before the place where the client begins. */
  async #askAgain(until: number): Promise<void> {
    const { services, threadId, elicitation } = this.#options;
    const permissions = await services.register.query("permissions.list", { thread_id: threadId });
    for (const row of permissions.rows) {
      if (row.tool_call_id !== null && row.seq <= until) this.#askedItems.add(row.tool_call_id);
      if (row.status !== "pending" || row.seq > until) continue;
      const [event] = await services.register.readSent(threadId, row.seq - 1, 1);
      const fact = event === undefined ? null : readFact(event);
      if (fact?.type === "permission_requested") this.#questions.permission(fact);
    }
    const forms = await services.register.query("elicitations.list", { thread_id: threadId, status: "pending" });
    for (const row of forms.rows) {
      if (row.seq <= until && elicitation[row.mode]) this.#questions.elicitation(row);
    }
  }

  #announce(seq: number, toolCall: ({ readonly toolCallId: string } & JsonObject) | null): void {
    if (toolCall === null || this.#announced?.has(toolCall.toolCallId) === true) return;
    const isByHost = isHostItem({ tool_call_id: toolCall.toolCallId });
    if (isByHost) this.#askedItems.add(toolCall.toolCallId);
    // A client that begins in the middle knows the agent's calls, or gets them from the agent's updates.
    if (this.#announced === null && !isByHost) return;
    this.#announced?.add(toolCall.toolCallId);
    const { sessionId, toolCallId } = this.#updates.findPlace(toolCall.toolCallId);
    this.#sendUpdates(seq, [announcement({ ...toolCall, toolCallId })], sessionId);
  }

  /** Updates that one event becomes. The offset counts those that the client has. */
  #sendUpdates(seq: number, updates: readonly JsonObject[], sessionId = this.#options.threadId): void {
    const { threadId, notify } = this.#options;
    const from = this.#findOffset(seq) ?? 0;
    for (const [index, update] of updates.entries()) {
      if (index < from) continue;
      const position = index === updates.length - 1 ? { seq } : { seq, offset: index + 1 };
      notify("session/update", hostUpdate(sessionId, update), { threadId, ...position });
    }
  }

  #findOffset(seq: number): number | undefined {
    const { after } = this.#options;
    return seq === after.seq ? after.offset : undefined;
  }
}
