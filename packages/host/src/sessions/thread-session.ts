// A thread with its agent running: one turn at a time, the rest of the prompts in a queue. Everything that happens is stated to
// the register as a fact, in the order in which it happened.
import { randomUUID } from "node:crypto";
import { methods } from "@agentclientprotocol/sdk";
import {
  type ContentBlock,
  type Fact,
  isJsonObject,
  type Json,
  type JsonObject,
  type StopReason,
} from "@signalbox/protocol";
import { ClientSide } from "../acp/client-side.ts";
import { type ServedThread, stateUpdate } from "../acp/served-thread.ts";
import { HostError, messageOf } from "../data/host-error.ts";
import { AgentSession, type AgentSessionOptions } from "./agent-session.ts";
import { PromptQueue, type WaitingTurn } from "./prompt-queue.ts";

/** A cancelled agent may take this long to answer before its commands are ended, and again before its process is. */
const cancelGraceMilliseconds = 3000;

export interface ThreadSessionOptions extends Omit<AgentSessionOptions, "listener" | "serve"> {
  readonly served: Omit<ServedThread, "turnSignal">;
  /** What a session without memory is told before its first prompt. */
  readonly context: () => Promise<ContentBlock | null>;
  readonly modeId: string | null;
  /** Prompts that were held back before the agent was started. */
  readonly held: readonly WaitingTurn[];
  /** The options as they stood, in ACP's words; null when none are known. */
  readonly configOptions: Json;
  /** Called once, when the agent is gone for whatever reason. */
  readonly onGone: () => void;
  /** Ends a start that nobody waits for any more: an agent may never answer. */
  readonly signal: AbortSignal;
}

export class ThreadSession {
  readonly #options: ThreadSessionOptions;
  readonly #served: ServedThread;
  readonly #clientSide: ClientSide;
  readonly #agent: AgentSession;
  readonly #queue: PromptQueue;
  #sessionId = "";
  #modeId: string | null = null;
  #needsContext = false;
  #running: Promise<void> | null = null;
  /** One per turn, and one between turns: aborts when that is over. */
  #turn = new AbortController();
  #stopping = false;
  readonly #startedAt = Date.now();

  private constructor(options: ThreadSessionOptions) {
    const { served } = options;
    this.#options = options;
    this.#queue = new PromptQueue(options.held);
    this.#served = { ...served, turnSignal: () => this.#turn.signal };
    this.#clientSide = new ClientSide(this.#served);
    const threadId = served.place.threadId;
    this.#agent = new AgentSession({
      ...options,
      serve: (app) => this.#clientSide.serve(app),
      listener: {
        update: (_sessionId, params, line) => {
          const ours = served.seen.take(params);
          served.register.append(threadId, { type: "update", params, line });
          if (ours !== null) stateUpdate(this.#served, { sessionUpdate: "tool_call_update", ...ours });
        },
        notification: (method, params) => served.register.append(threadId, { type: "notification", method, params }),
      },
    });
    this.#agent.connection.gone.catch(options.onGone);
  }

  /** Starts the agent's process and a session in it. Throws, and leaves nothing running, when that fails. */
  static async start(options: ThreadSessionOptions): Promise<ThreadSession> {
    const { signal, definition } = options;
    const stopped = () => new HostError("unavailable", `${definition.label} was stopped before it was ready.`);
    if (signal.aborted) throw stopped();
    const session = new ThreadSession(options);
    const onAbort = () => void session.stop();
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

  get label(): string {
    return this.#options.definition.label;
  }

  /** The agent's process and when it was started. */
  get process(): { readonly pid: number | undefined; readonly startedAt: number } {
    return { pid: this.#agent.connection.pid, startedAt: this.#startedAt };
  }

  /** The mode that the agent is in, as far as it told when the session began; null where it has none. */
  get modeId(): string | null {
    return this.#modeId;
  }

  get isBusy(): boolean {
    return this.#running !== null;
  }

  /** Takes a prompt; runs it now or after those before it. */
  submit(promptId: string, prompt: readonly ContentBlock[]): { turnId: string; queued: boolean } {
    const turnId = `turn-${randomUUID()}`;
    const queued = this.#running !== null;
    this.#state({ type: "turn_queued", turn_id: turnId, prompt_id: promptId, prompt });
    this.#queue.add({ turnId, prompt });
    if (!queued) this.#running = this.#runQueue();
    return { turnId, queued };
  }

  edit(turnId: string, prompt: readonly ContentBlock[]): void {
    this.#queue.edit(turnId, prompt);
    this.#state({ type: "turn_edited", turn_id: turnId, prompt });
  }

  remove(turnId: string): void {
    this.#queue.remove(turnId);
    this.#state({ type: "turn_removed", turn_id: turnId });
  }

  /** Lets what was held back run, after what runs now. */
  continue(): void {
    if (!this.#queue.hasHeld) throw new HostError("conflict", "Nothing is held back in this thread.");
    this.#queue.release();
    this.#running ??= this.#runQueue();
  }

  /**
   * Ends the running turn and holds back what waits. Three steps: ask the agent; end the commands it runs through us; end its process. A thread
   * whose process was ended gets a new one, with its session taken up again, at the next prompt.
   */
  async cancel(): Promise<void> {
    const running = this.#running;
    if (running === null) return;
    this.#turn.abort();
    this.#queue.hold();
    const steps = [() => this.#clientSide.stop(), () => this.#agent.connection.stop()].map((step, index) =>
      setTimeout(() => void step(), (index + 1) * cancelGraceMilliseconds),
    );
    try {
      await this.#agent.connection.notify(methods.agent.session.cancel, { sessionId: this.#sessionId });
    } catch {
      // The agent is gone: its end ends the turn.
    }
    await running;
    for (const step of steps) clearTimeout(step);
  }

  async setMode(modeId: string): Promise<void> {
    await this.#agent.connection.request(methods.agent.session.setMode, { sessionId: this.#sessionId, modeId });
    // Not every agent tells a change that it was asked for.
    stateUpdate(this.#served, { sessionUpdate: "current_mode_update", currentModeId: modeId });
    this.#modeId = modeId;
  }

  async setConfigOption(configId: string, value: Json): Promise<void> {
    const kind = typeof value === "boolean" ? { type: "boolean" } : {};
    const params = { sessionId: this.#sessionId, configId, ...kind, value };
    const answer = await this.#agent.connection.request<JsonObject>(methods.agent.session.setConfigOption, params);
    if (answer.configOptions !== undefined) {
      stateUpdate(this.#served, { sessionUpdate: "config_option_update", configOptions: answer.configOptions });
    }
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    this.#turn.abort();
    this.#queue.hold();
    await this.#clientSide.stop();
    await this.#agent.connection.stop();
    await this.#running;
  }

  async #open(): Promise<void> {
    const { sessionId, origin, answer } = await this.#agent.open();
    this.#sessionId = sessionId;
    this.#needsContext = origin === "new";
    this.#state({
      type: "session_started",
      session_id: sessionId,
      ...(answer.modes === undefined ? {} : { modes: answer.modes }),
      ...(answer.configOptions === undefined ? {} : { config_options: answer.configOptions }),
    });
    await this.#setAgain(answer);
  }

  /** A session that was taken up, or made anew, is put as the thread was; what the agent does not have any more stays as it says. */
  async #setAgain(answer: JsonObject): Promise<void> {
    const { modeId, configOptions } = this.#options;
    const { current, available } = modesIn(answer);
    this.#modeId = current;
    if (modeId !== null && modeId !== current && available.includes(modeId)) await this.setMode(modeId);
    const wanted = valuesIn(configOptions);
    for (const [configId, value] of valuesIn(answer.configOptions)) {
      const before = wanted.get(configId);
      if (before === undefined || before === value) continue;
      try {
        await this.setConfigOption(configId, before);
      } catch (error) {
        // An option that cannot be had any more must not keep the thread from going on; the page shows what the agent reports.
        if (this.#agent.connection.isGone) throw error;
      }
    }
  }

  async #runQueue(): Promise<void> {
    for (let turn = this.#queue.take(); turn !== undefined; turn = this.#queue.take()) {
      this.#turn = new AbortController();
      this.#served.grants.clear();
      this.#state({ type: "turn_started", turn_id: turn.turnId });
      const end = await this.#run(turn);
      // What it asked and did not wait for is taken back; what is asked from now on does not belong to it.
      const over = this.#turn;
      this.#turn = new AbortController();
      over.abort();
      this.#state(end);
      // What went wrong with this one would go wrong with the next.
      if (end.type !== "turn_ended") this.#queue.hold();
    }
    this.#running = null;
  }

  async #run({ turnId, prompt }: WaitingTurn): Promise<Fact> {
    try {
      const context = this.#needsContext ? await this.#options.context() : null;
      this.#needsContext = false;
      const params = { sessionId: this.#sessionId, prompt: context === null ? prompt : [context, ...prompt] };
      const answer = await this.#agent.connection.request<{ stopReason?: StopReason; usage?: JsonObject }>(
        methods.agent.session.prompt,
        params,
      );
      return {
        type: "turn_ended",
        turn_id: turnId,
        stop_reason: answer.stopReason ?? "end_turn",
        ...(answer.usage ? { usage: answer.usage } : {}),
      };
    } catch (error) {
      if (this.#stopping) {
        return { type: "turn_interrupted", turn_id: turnId, reason: "Signalbox was stopped while the turn ran." };
      }
      if (this.#turn.signal.aborted) return { type: "turn_ended", turn_id: turnId, stop_reason: "cancelled" };
      return { type: "turn_failed", turn_id: turnId, error: turnError(error) };
    }
  }

  #state(fact: Fact): void {
    this.#served.register.append(this.#served.place.threadId, { type: "fact", fact });
  }
}

function modesIn({ modes }: JsonObject): { readonly current: string | null; readonly available: readonly Json[] } {
  if (!isJsonObject(modes)) return { current: null, available: [] };
  const { currentModeId, availableModes } = modes;
  const ids = Array.isArray(availableModes) ? availableModes.filter(isJsonObject).map(({ id }) => id ?? null) : [];
  return { current: typeof currentModeId === "string" ? currentModeId : null, available: ids };
}

function valuesIn(configOptions: Json | undefined): ReadonlyMap<string, Json> {
  const options = Array.isArray(configOptions) ? configOptions.filter(isJsonObject) : [];
  return new Map(
    options.flatMap(({ id, currentValue }) =>
      typeof id === "string" && currentValue !== undefined ? [[id, currentValue] as const] : [],
    ),
  );
}

function turnError(error: unknown): { code: string; message: string; details?: Json } {
  if (!(error instanceof HostError)) return { code: "internal", message: messageOf(error) };
  return {
    code: error.code,
    message: error.message,
    ...(error.details === undefined ? {} : { details: error.details }),
  };
}
