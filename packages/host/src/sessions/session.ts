// Runs the prompts of a thread in its agent: one turn at a time, the others in a queue. Records every step in the register, in order.
import { randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { methods } from "@agentclientprotocol/sdk";
import {
  type ContentBlock,
  type Fact,
  type Json,
  type JsonObject,
  makeConfigOptionsUpdate,
  makeModeUpdate,
  messageOf,
  type ThreadSandbox,
  type Update,
} from "@signalbox/protocol";
import type { Escalation } from "@signalbox/rules";
import type { LogSource } from "@signalbox/tinyvex";
import { ClientSide } from "../acp/client-side.ts";
import type { OpenPorts } from "../acp/open-ports.ts";
import type { CommandAgain } from "../acp/terminals.ts";
import { recordUpdate } from "../acp/thread-context.ts";
import { AgentConnection } from "../agents/agent-connection.ts";
import { HostError } from "../data/host-error.ts";
import { redactFields } from "../data/redact-value.ts";
import { AgentSide } from "./agent-side.ts";
import { hasHistory } from "./describe-history.ts";
import { type AgentAbilities, noAbilities, openAgentSession } from "./open-agent-session.ts";
import { sendWithModel } from "./prompt-model.ts";
import { PromptQueue, type WaitingTurn } from "./prompt-queue.ts";
import { recordMessages } from "./record-messages.ts";
import type { ReplayFilter } from "./replay-filter.ts";
import { runTurns, type TurnEnd } from "./run-turns.ts";
import type { SessionOptions } from "./session-options.ts";
import { readModes, readValues, sessionStarted, turnEnded } from "./session-settings.ts";
import { makeTraceParent } from "./trace-parent.ts";
import { turnError } from "./turn-error.ts";

/** A cancelled agent gets this long to answer before its commands are ended, and as long again before its process is. */
const cancelGraceMs = 3000;
/** An extension that several agents have. */
export const steeringMethod = "_session/steering";

export class Session {
  readonly #options: SessionOptions;
  readonly #clientSide: ClientSide;
  readonly #connection: AgentConnection;
  /** Not null while the agent replays a session that it resumes. */
  #replay: ReplayFilter | null = null;
  readonly #queue: PromptQueue;
  readonly #startedAt = Date.now();
  #sessionId = "";
  #modeId: string | null = null;
  #sandbox: ThreadSandbox | null;
  #needsHistory = false;
  #abilities: AgentAbilities = noAbilities;
  /** The turn that runs; null between two. */
  #turnId: string | null = null;
  /** The turns that prompts were steered into. */
  readonly #steered = new Map<string, string>();
  #running: Promise<void> | null = null;
  #isStopping = false;
  /** Settled when the agent is gone and everything of its session is closed. */
  readonly #ended: Promise<void>;

  private constructor(options: SessionOptions) {
    const { context, thread, agent, known } = options;
    this.#options = options;
    this.#sandbox = thread.sandbox;
    this.#queue = new PromptQueue(known.heldTurns);
    this.#clientSide = new ClientSide(context, {
      readsComments: () => this.#abilities.readsComments,
      queuePrompt: (text) => void this.#guard(() => this.#sendToAgent(text)),
    });
    this.#connection = new AgentConnection({
      ...agent,
      cwd: thread.cwd,
      serve: (app) => this.#clientSide.serve(app),
      onAnswered: (requestId) => this.#clientSide.answered(requestId),
      listener: {
        update: (update, source) => this.#receive(update, source),
        ...recordMessages(context),
      },
    });
    this.#ended = this.#connection.gone.catch(() => this.#guard(() => this.#end()));
  }

  #receive(update: Update, source: LogSource | undefined): void {
    const { context, thread } = this.#options;
    const { subAgents, permissions, register } = context;
    if (update.type === "sub_agent" && update.announced !== null) subAgents.add(update.announced);
    const isOfSubAgent = subAgents.has(update.sessionId);
    if (this.#replay?.isNew(update, isOfSubAgent) === false) return;
    if (update.type === "tool_call") permissions.toolCalls.add(subAgents.nameCall(update));
    register.append(thread.id, { type: "update", update, source });
    if (update.type === "mode" && !isOfSubAgent) this.#setMode(update.modeId);
  }

  /** Starts the agent's process and a session in it. Throws, and leaves nothing running, when that fails. */
  static async start(options: SessionOptions): Promise<Session> {
    const { signal, agent } = options;
    const stopped = () => new HostError("unavailable", `${agent.definition.label} was stopped before it was ready.`);
    if (signal.aborted) throw stopped();
    const session = new Session(options);
    // What `#open` waits for then ends, and says why.
    const onAbort = () => void session.stop().catch(() => {});
    signal.addEventListener("abort", onAbort);
    try {
      await session.#open();
      signal.throwIfAborted();
      return session;
    } catch (error) {
      await session.stop();
      throw signal.aborted ? stopped() : error;
    } finally {
      signal.removeEventListener("abort", onAbort);
    }
  }

  /** Which of the thread's servers the person's browser reaches; undefined where commands share no loopback. */
  get ports(): OpenPorts | undefined {
    return this.#options.sandbox.ports;
  }

  get label(): string {
    return this.#options.agent.definition.label;
  }

  /** The agent's process and when it was started. */
  get process(): { readonly pid: number | undefined; readonly startedAt: number } {
    return { pid: this.#connection.pid, startedAt: this.#startedAt };
  }

  /** The mode that the agent reported; null where it has none. */
  get modeId(): string | null {
    return this.#modeId;
  }

  get isBusy(): boolean {
    return this.#running !== null;
  }

  isHeld(turnId: string): boolean {
    return this.#queue.isHeld(turnId);
  }

  /** Runs a prompt now, or after those before it. Rejects, and runs nothing, when the prompt cannot be stored. */
  async submit(
    promptId: string,
    prompt: readonly ContentBlock[],
    { meta, model }: Pick<WaitingTurn, "meta" | "model"> = {},
  ) {
    const turnId = `turn-${randomUUID()}`;
    const more = { ...(meta !== undefined && { meta: redactFields(meta) }), ...(model !== undefined && { model }) };
    const fact = { type: "turn_queued", turn_id: turnId, prompt_id: promptId, prompt, ...more } as const;
    // A prompt that ran without being in the register would run again when its client, which got an error, sends it again.
    await this.#options.context.register.store(this.#options.thread.id, fact);
    const queued = this.#running !== null;
    this.#queue.add({ turnId, prompt, meta, model });
    if (!queued) this.#running = this.#runQueue();
    return { turnId, queued };
  }

  /** Gives the turn that took the text; rejects where it cannot be stored now; null where the agent cannot, or did not: then the text is not sent yet. */
  async steer(promptId: string, prompt: readonly ContentBlock[]): Promise<string | null> {
    const known = this.#steered.get(promptId);
    const turnId = this.#turnId;
    if (known !== undefined) return known;
    if (!this.#abilities.steering || turnId === null || this.#options.context.permissions.turn.signal.aborted)
      return null;
    const { context, thread } = this.#options;
    // Nothing is sent while the register cannot store it.
    await context.register.settled(thread.id);
    const at = Date.now();
    try {
      const _meta = { steering: { idleBehavior: "promptRequired" } };
      const params = { sessionId: this.#sessionId, prompt, _meta };
      const answer = await this.#connection.request<JsonObject | null>(steeringMethod, params);
      if (answer?.outcome !== "injected") return null;
    } catch {
      // It is queued instead.
      return null;
    }
    this.#steered.set(promptId, turnId);
    const fact = { type: "turn_steered", turn_id: turnId, prompt_id: promptId, prompt } as const;
    context.register.append(thread.id, { type: "fact", fact, at });
    return turnId;
  }

  /** Tells the agent something that a person said: in the running turn, or after it. */
  async #sendToAgent(text: string): Promise<void> {
    const [promptId, prompt] = [`comment-${randomUUID()}`, [{ type: "text", text }]];
    if ((await this.steer(promptId, prompt)) === null) await this.submit(promptId, prompt);
  }

  edit(turnId: string, prompt: readonly ContentBlock[]): void {
    this.#queue.edit(turnId, prompt);
    this.#record({ type: "turn_edited", turn_id: turnId, prompt });
  }

  remove(turnId: string): void {
    this.#queue.remove(turnId);
    this.#record({ type: "turn_removed", turn_id: turnId });
  }

  /** Runs the prompts that were held back, after the present turn. */
  continue(): void {
    if (!this.#queue.hasHeld) throw new HostError("conflict", "Nothing is held back in this thread.");
    this.#queue.release();
    this.#running ??= this.#runQueue();
  }

  /**
   * Ends the running turn and holds back the queued prompts. Three steps: ask the agent; end the commands it runs through the host; end its
   * process. The next prompt then starts a new process and resumes the session.
   */
  async cancel(): Promise<void> {
    const running = this.#running;
    if (running === null) return;
    this.#options.context.permissions.turn.abort();
    this.#queue.hold();
    const steps = [() => this.#clientSide.stopCommands(), () => this.#connection.stop()].map((step, index) =>
      setTimeout(() => void this.#guard(step), (index + 1) * cancelGraceMs),
    );
    try {
      await this.#connection.notify(methods.agent.session.cancel, { sessionId: this.#sessionId });
    } catch {
      // The agent is gone: its end ends the turn.
    }
    await running;
    for (const step of steps) clearTimeout(step);
  }

  /** Throws a RequestError where it cannot be run. */
  prepareAgain(terminalId: string, escalation: Escalation, variables: readonly string[]): CommandAgain {
    return this.#clientSide.prepareAgain(terminalId, escalation, variables);
  }

  async setMode(modeId: string): Promise<void> {
    await this.#connection.request(methods.agent.session.setMode, { sessionId: this.#sessionId, modeId });
    // Not every agent sends an update for a change that it was asked for.
    recordUpdate(this.#options.context, makeModeUpdate(modeId));
    this.#setMode(modeId);
  }

  async setConfigOption(configId: string, value: Json): Promise<void> {
    const kind = typeof value === "boolean" ? { type: "boolean" } : {};
    const params = { sessionId: this.#sessionId, configId, ...kind, value };
    const answer = await this.#connection.request<JsonObject>(methods.agent.session.setConfigOption, params);
    if (answer.configOptions !== undefined) {
      recordUpdate(this.#options.context, makeConfigOptionsUpdate(answer.configOptions));
    }
  }

  get takesPromptModel(): boolean {
    return this.#abilities.promptModel;
  }

  /** What the agent is told of its session. */
  get agentSide(): AgentSide {
    const { subAgents } = this.#options.context;
    const [connection, sessionId, abilities] = [this.#connection, this.#sessionId, this.#abilities];
    return new AgentSide({ connection, sessionId, abilities, subAgents });
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#options.context.permissions.turn.abort();
    this.#queue.hold();
    await this.#clientSide.end();
    await this.#connection.stop();
    await this.#running;
    await this.#ended;
  }

  /** The agent is gone. */
  async #end(): Promise<void> {
    const { folder, sandbox, onGone } = this.#options;
    // The commands of an agent that ended by itself end with it.
    const commands = this.#clientSide.end();
    // A turn that ends with the agent still gets its checkpoint.
    void this.#guard(async () => {
      await this.#running;
      folder.close();
    });
    onGone();
    await commands;
    await sandbox[Symbol.asyncDispose]();
  }

  async #open(): Promise<void> {
    const { context, thread, agent, opening } = this.#options;
    // Asked before: what a new session says by itself as it starts, and a first prompt that is cancelled, is no earlier session.
    const hadHistory = await hasHistory(context);
    const { sessionId, isResumed, forked, abilities, answer } = await openAgentSession(this.#connection, {
      thread,
      opening,
      definition: agent.definition,
      onReplay: (filter) => {
        this.#replay = filter;
      },
      onIdentified: (agentInfo) => {
        agent.activity.identify(agentInfo);
        agent.quirks.identify(agentInfo);
      },
    });
    this.#sessionId = sessionId;
    this.#needsHistory = !isResumed && hadHistory;
    this.#abilities = abilities;
    if (opening.source.type === "hand_over") this.#record({ type: "handed_over", agent_id: thread.agent_id });
    const more = { ...forked, ...(abilities.steering ? { steering: true } : {}) };
    this.#record({ ...sessionStarted(sessionId, answer), ...more });
    await this.#restoreSettings(answer);
  }

  /** Sets the mode and the options that the thread had. What the agent does not offer any more stays as the agent reports it. */
  async #restoreSettings(answer: JsonObject): Promise<void> {
    const { thread, known } = this.#options;
    const modeId = thread.current_mode_id;
    const { current, available } = readModes(answer);
    this.#setMode(current);
    if (modeId !== null && modeId !== current && available.includes(modeId)) await this.setMode(modeId);
    const wanted = readValues(known.configOptions);
    for (const [configId, value] of readValues(answer.configOptions)) {
      const before = wanted.get(configId);
      if (before === undefined || before === value) continue;
      try {
        await this.setConfigOption(configId, before);
      } catch (error) {
        // An option that the agent refuses must not stop the thread; the page shows what the agent reports.
        if (this.#connection.isGone) throw error;
      }
    }
  }

  /** Records what sandboxes the agent's commands in the mode, where that changed. */
  #setMode(modeId: string | null): void {
    this.#modeId = modeId;
    const sandbox = this.#options.sandbox.describe(modeId);
    if (isDeepStrictEqual(sandbox, this.#sandbox)) return;
    this.#sandbox = sandbox;
    this.#record({ type: "sandbox_changed", sandbox });
  }

  #runQueue(): Promise<void> {
    const { context, folder, sandbox } = this.#options;
    const ran = runTurns(this.#queue, {
      permissions: context.permissions,
      prepare: (turnId) => folder.before(turnId, this.#clientSide),
      send: (turn) => this.#send(turn),
      finish: (turnId) => folder.after(turnId).finally(() => sandbox.returnLogIns()),
      record: (fact) => this.#record(fact),
      store: (fact) => context.register.store(context.place.threadId, fact),
      // A thread whose log takes nothing any more cannot go on.
      onLost: () => void this.#guard(() => this.stop()),
    });
    return ran.finally(() => (this.#running = null));
  }

  /** Runs work that nothing waits for. An error ends here, in the agent's log: it concerns this thread alone. */
  async #guard(work: () => unknown): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#options.agent.activity.addOutput(`Signalbox: ${messageOf(error)}\n`);
    }
  }

  async #send({ turnId, prompt, meta, model }: WaitingTurn): Promise<TurnEnd> {
    const { context, known } = this.#options;
    const { turn } = context.permissions;
    this.#turnId = turnId;
    try {
      const history = this.#needsHistory ? await known.describeHistory() : null;
      // A prompt that was cancelled before it went out does not go out.
      turn.signal.throwIfAborted();
      this.#needsHistory = false;
      const params = { sessionId: this.#sessionId, prompt: history === null ? prompt : [history, ...prompt] };
      const sent = await sendWithModel(context, this, model, (more) => {
        // The agent's own spans join the turn's trace, or the one that the client is in.
        const id = this.#abilities.forkBefore ? { "signalbox/prompt": turnId } : {};
        const _meta = { traceparent: makeTraceParent(turnId), ...meta, ...id, ...more };
        return this.#connection.request<JsonObject>(methods.agent.session.prompt, { ...params, _meta });
      });
      return turnEnded(turnId, sent.answer, sent.model);
    } catch (error) {
      if (this.#isStopping) {
        return { type: "turn_interrupted", turn_id: turnId, reason: "Signalbox was stopped while the turn ran." };
      }
      if (turn.signal.aborted) return { type: "turn_ended", turn_id: turnId, stop_reason: "cancelled" };
      return { type: "turn_failed", turn_id: turnId, error: turnError(error) };
    } finally {
      this.#turnId = null;
    }
  }

  #record(fact: Fact): void {
    this.#options.context.register.append(this.#options.context.place.threadId, { type: "fact", fact });
  }
}
