// Keeps the sessions of all threads. A prompt starts the agent of its thread; an agent that is idle for long is stopped.
import { makeRefFolder, Worktrees } from "@signalbox/checkpoints";
import {
  type AgentActivityRow,
  type ContentBlock,
  type Fact,
  type Json,
  messageOf,
  type ThreadRow,
} from "@signalbox/protocol";
import type { NewThread, ThreadUpdates } from "@signalbox/tinyvex";
import type { ClientSessionParams } from "../acp/editors.ts";
import { AgentActivity } from "../agents/agent-activity.ts";
import { removePrivateFolder } from "../agents/agent-home.ts";
import { AgentLog } from "../agents/agent-log.ts";
import { isLoginError } from "../agents/log-in.ts";
import { HostError } from "../data/host-error.ts";
import { refuseOverBudget } from "./budgets.ts";
import { checkFolder } from "./check-folder.ts";
import { type ChosenSettings, chooseSettings } from "./choose-settings.ts";
import { describeFork, type Fork } from "./describe-fork.ts";
import { findAgent } from "./find-agent.ts";
import type { NewSession, PromptOptions, SubmittedPrompt } from "./new-session.ts";
import { checkPromptModel } from "./prompt-model.ts";
import { PromptQueue, waitingTurns } from "./prompt-queue.ts";
import { refuseDuringTurn } from "./refuse-during-turn.ts";
import { listRunningAgents, makeRunningThread, type RunningThread } from "./running-thread.ts";
import type { Session } from "./session.ts";
import type { SessionSource } from "./session-options.ts";
import type { SessionServices } from "./session-services.ts";
import { StartLimit } from "./start-limit.ts";
import { type Deletion, findWorktree, refuseLoss } from "./thread-worktree.ts";
import { threadsBySession } from "./threads-by-session.ts";

/** Called with each step of a starting agent, for the person who waits; the last one says how the start ended. */
type OnStep = (threadId: string, step: string, isLast: boolean) => void;

export class Sessions {
  readonly #services: SessionServices;
  readonly #onStep: OnStep;
  readonly #live = new Map<string, RunningThread>();
  /** Prompts that are being accepted: the same one sent twice runs once. */
  readonly #submitting = new Map<string, Promise<SubmittedPrompt>>();
  readonly #adopting = new Map<string, Promise<ThreadRow>>();
  readonly #worktrees: Worktrees;

  constructor(services: SessionServices, onStep: OnStep) {
    this.#services = services;
    this.#worktrees = new Worktrees(services.folder.path, services.gitStates);
    this.#onStep = onStep;
  }

  /** Creates a thread and starts its agent. When that fails, the thread is removed. */
  async create({ agent_id, cwd, title, mcp_servers, ...more }: NewSession): Promise<ThreadRow> {
    const { additional_directories = [], worktree, sandbox: sandbox_choice } = more;
    findAgent(this.#services.agents, agent_id);
    for (const folder of [cwd, ...additional_directories]) checkFolder(folder);
    const named = { agent_id, title: title ?? null, parent_thread_id: null, additional_directories, sandbox_choice };
    const opening = { mcpServers: mcp_servers ?? [], meta: more.meta };
    const begin = (place: Pick<NewThread, "cwd" | "git">) =>
      this.#begin({ ...named, ...place }, { type: "own", model: more.model }, more, opening);
    if (worktree === undefined) return await begin({ cwd });
    return await this.#worktrees.use({ cwd, branch: worktree.branch, title: named.title }, begin);
  }

  /** Creates a thread that goes on from this one: from its end, or from before a prompt. */
  async fork(threadId: string, asked: Fork = {}): Promise<ThreadRow> {
    const parent = await this.#thread(threadId);
    refuseDuringTurn(this.running(threadId), "Fork it when the turn has ended.");
    const { thread, source } = await describeFork(this.#services.register, parent, asked);
    return await this.#begin(thread, source, { mode_id: parent.current_mode_id ?? undefined });
  }

  /** The thread goes on with another agent. When that one does not start, the thread stays with the one it has. */
  async handOver(threadId: string, agentId: string): Promise<ThreadRow> {
    const thread = await this.#thread(threadId);
    const { label } = findAgent(this.#services.agents, agentId);
    if (thread.agent_id === agentId) throw new HostError("conflict", `${label} has this thread already.`);
    refuseDuringTurn(this.running(threadId), "Hand it over when the turn has ended.");
    await this.#stop(threadId);
    const handed = { ...thread, agent_id: agentId, session_id: null, current_mode_id: null, sandbox: null };
    await this.#attach(handed, undefined, { type: "hand_over" });
    await this.#services.register.settled(threadId);
    return await this.#thread(threadId);
  }

  /** The thread of a session that the agent has: an existing one, or a new one that gets its history from the agent. */
  adopt(agentId: string, sessionId: string, cwd: string, title?: string): Promise<ThreadRow> {
    const key = `${agentId} ${sessionId}`;
    const known = this.#adopting.get(key);
    if (known !== undefined) return known;
    const adopted = this.#adopt(agentId, sessionId, cwd, title).finally(() => this.#adopting.delete(key));
    this.#adopting.set(key, adopted);
    return adopted;
  }

  async #adopt(agentId: string, sessionId: string, cwd: string, title: string | undefined): Promise<ThreadRow> {
    findAgent(this.#services.agents, agentId);
    const known = (await threadsBySession(this.#services.register, agentId)).get(sessionId);
    if (known !== undefined) return await this.resume(known);
    checkFolder(cwd);
    const thread = { agent_id: agentId, cwd, title: title ?? null, parent_thread_id: null };
    return await this.#begin(thread, { type: "adopt", sessionId }, {});
  }

  /** Starts the thread's agent where it is not running, and resumes its session. */
  async resume(threadId: string, chosen: ChosenSettings = {}): Promise<ThreadRow> {
    const { register } = this.#services;
    await chooseSettings(register, threadId, await this.#attach(await this.#thread(threadId)), chosen);
    await register.settled(threadId);
    return await this.#thread(threadId);
  }

  /** Runs a prompt once: the same `promptId` again gets the same answer. */
  submit(
    threadId: string,
    promptId: string,
    prompt: readonly ContentBlock[],
    options: PromptOptions = {},
  ): Promise<SubmittedPrompt> {
    const key = `${threadId} ${promptId}`;
    const known = this.#submitting.get(key);
    if (known !== undefined) return known;
    const submitted = this.#submit(threadId, promptId, prompt, options).finally(() => this.#submitting.delete(key));
    this.#submitting.set(key, submitted);
    return submitted;
  }

  async edit(threadId: string, turnId: string, prompt: readonly ContentBlock[]): Promise<void> {
    const session = await this.#running(threadId);
    if (session !== null) return session.edit(turnId, prompt);
    await this.#recordHeld(threadId, turnId, { type: "turn_edited", turn_id: turnId, prompt });
  }

  async remove(threadId: string, turnId: string): Promise<void> {
    const session = await this.#running(threadId);
    if (session !== null) return session.remove(turnId);
    await this.#recordHeld(threadId, turnId, { type: "turn_removed", turn_id: turnId });
  }

  /** Whether a queued prompt runs only when a person continues. */
  async isHeld(threadId: string, turnId: string): Promise<boolean> {
    const session = await this.#live.get(threadId)?.session.catch(() => null);
    if (session !== undefined && session !== null) return session.isHeld(turnId);
    return (await waitingTurns(this.#services.register, threadId)).some((turn) => turn.turnId === turnId);
  }

  /** Runs the prompts that were held back. */
  async continue(threadId: string): Promise<void> {
    (await this.#attach(await this.#thread(threadId))).continue();
    await this.#services.register.settled(threadId);
  }

  /** Ends the running turn, or the start of the agent. */
  async cancel(threadId: string): Promise<void> {
    await this.#thread(threadId);
    const live = this.#live.get(threadId);
    if (live?.isStarting === true) await this.#stop(threadId);
    else await (await live?.session)?.cancel();
  }

  /** The session of a thread whose agent runs; null for any other. */
  running(threadId: string): Session | null {
    return this.#live.get(threadId)?.running ?? null;
  }

  /** Changes the title, or whether the thread is archived. A running agent that keeps such things is told, unless a turn runs. */
  async update(threadId: string, updates: ThreadUpdates): Promise<ThreadRow> {
    const thread = await this.#services.register.updateThread(threadId, updates);
    const session = this.running(threadId);
    if (typeof updates.title === "string") void session?.agentSide.setTitle(updates.title);
    if (updates.archived !== true || session === null || session.isBusy) return thread;
    if (await session.agentSide.archive()) await this.#stop(threadId);
    return thread;
  }

  async setMode(threadId: string, modeId: string): Promise<void> {
    await (await this.#attach(await this.#thread(threadId))).setMode(modeId);
    await this.#services.register.settled(threadId);
  }

  async setConfigOption(threadId: string, configId: string, value: Json): Promise<void> {
    await (await this.#attach(await this.#thread(threadId))).setConfigOption(configId, value);
    await this.#services.register.settled(threadId);
  }

  async close(threadId: string): Promise<void> {
    await this.#thread(threadId);
    await this.#live.get(threadId)?.running?.agentSide.leave(false);
    await this.#stop(threadId);
    this.#record(threadId, { type: "session_ended", status: "closed", reason: null });
    await this.#services.register.settled(threadId);
  }

  /** Work in its worktree that is not committed is lost only with `discard`; without it, such a thread stays. */
  async delete(threadId: string, { discard = false, dry_run: isDry = false }: Deletion = {}): Promise<void> {
    const thread = await this.#thread(threadId);
    const worktree = await findWorktree(this.#services.register, thread);
    if (worktree !== null && !discard) await refuseLoss(this.#worktrees, worktree);
    if (isDry) return;
    await this.#live.get(threadId)?.running?.agentSide.leave(true);
    await this.#stop(threadId); // what its agent did until now counts too
    if (worktree !== null && !discard) await refuseLoss(this.#worktrees, worktree);
    if (worktree !== null) await this.#worktrees.remove(worktree);
    await this.#services.register.deleteThread(threadId);
    removePrivateFolder(this.#services.folder.path, threadId);
    this.#services.checkpoints.findStore(thread.cwd)?.forget(makeRefFolder(threadId));
    this.#services.rules.forgetThread(threadId);
    this.#services.editors.forgetOpening(threadId);
  }

  /** Whether an agent is starting or a turn runs. */
  get isBusy(): boolean {
    return [...this.#live.values()].some(({ isStarting, running }) => isStarting || running?.isBusy === true);
  }

  /** The running processes of agents. */
  processes(): ReturnType<typeof listRunningAgents> {
    return listRunningAgents(this.#live);
  }

  /** What can be seen of the thread's agent from outside; null when none runs. */
  async activity(threadId: string): Promise<AgentActivityRow | null> {
    const live = this.#live.get(threadId);
    if (live === undefined) return null;
    const session = live.isStarting ? null : await live.session.catch(() => null);
    return live.activity.describeRow(threadId, live.label, session?.process.pid);
  }

  /** Gives an agent that is starting its whole time again. */
  wait(threadId: string): void {
    const live = this.#live.get(threadId);
    if (live?.isStarting !== true) throw new HostError("conflict", "No agent is starting in this thread.");
    live.limit.extend();
  }

  async stopAll(): Promise<void> {
    await Promise.all([...this.#live.keys()].map((threadId) => this.#stop(threadId)));
  }

  async #submit(
    threadId: string,
    promptId: string,
    prompt: readonly ContentBlock[],
    { steers = false, ...options }: PromptOptions,
  ): Promise<SubmittedPrompt> {
    const { register } = this.#services;
    const thread = await this.#thread(threadId);
    const [earlier] = (await register.query("turns.list", { thread_id: threadId, prompt_id: promptId, limit: 1 })).rows;
    const asked = steers ? { steered: false } : {};
    if (earlier !== undefined) return { turn_id: earlier.turn_id, queued: earlier.status === "queued", ...asked };
    await refuseOverBudget(this.#services);
    const session = await this.#attach(thread);
    if (options.model !== undefined) await checkPromptModel(register, threadId, session);
    // A running turn has its model.
    const steeredInto = steers && options.model === undefined ? await session.steer(promptId, prompt) : null;
    if (steeredInto === null) {
      const { turnId, queued } = await session.submit(promptId, prompt, options);
      return { turn_id: turnId, queued, ...asked };
    }
    // The agent has the prompt, so it was not refused, even if the register can store that only later.
    await register.settled(threadId).catch(() => {});
    return { turn_id: steeredInto, queued: false, steered: true };
  }

  /** Creates the thread and starts its agent; removes the thread when that fails. */
  async #begin(
    made: NewThread,
    source: SessionSource,
    chosen: ChosenSettings,
    opening?: ClientSessionParams,
  ): Promise<ThreadRow> {
    const { register } = this.#services;
    const thread = await register.createThread({ ...made, starting: true });
    try {
      const session = await this.#attach(thread, opening, source);
      await chooseSettings(register, thread.id, session, chosen);
      await register.settled(thread.id);
    } catch (error) {
      await this.#stop(thread.id);
      await register.deleteThread(thread.id);
      removePrivateFolder(this.#services.folder.path, thread.id);
      this.#services.editors.forgetOpening(thread.id);
      throw error;
    }
    return await this.#thread(thread.id);
  }

  #attach(thread: ThreadRow, opening?: ClientSessionParams, source: SessionSource = { type: "own" }): Promise<Session> {
    const known = this.#live.get(thread.id);
    if (known !== undefined) {
      this.#keepAwake(thread.id, known);
      return known.session;
    }
    const onGone = () => this.#forget(thread.id, live);
    const start = new AbortController();
    const { folder, userConfig, agents, keys, readiness } = this.#services;
    const log = new AgentLog(folder.logs, thread.agent_id, thread.id, [folder.token, ...keys.allValues()]);
    const activity = new AgentActivity(log);
    const limit = new StartLimit(userConfig.config.agent_start_s * 1000, activity);
    const life = { onGone, signal: start.signal, activity, limit };
    const session = this.#start(thread, opening, source, life);
    const label = agents.find(thread.agent_id)?.label ?? thread.agent_id;
    const live = makeRunningThread({ session, start, activity, limit, label });
    this.#live.set(thread.id, live);
    const noted = live.session.then(
      (running) => {
        live.isStarting = false;
        live.running = running;
        this.#keepAwake(thread.id, live);
        readiness.recordSuccess(thread.agent_id);
        this.#onStep(thread.id, "Ready.", true);
      },
      (error: unknown) => {
        this.#forget(thread.id, live);
        this.#record(thread.id, { type: "session_start_failed", reason: messageOf(error) });
        this.#onStep(thread.id, messageOf(error), true);
        if (error instanceof HostError && error.code === "agent_failed") {
          readiness.recordProblem(thread.agent_id, isLoginError(error) ? "needs_login" : "broken", error.message);
        }
      },
    );
    noted.catch(() => {}); // the caller gets the error of the session itself
    if (!thread.starting) this.#record(thread.id, { type: "session_starting" });
    return live.session;
  }

  async #start(
    thread: ThreadRow,
    opening: ClientSessionParams | undefined,
    source: SessionSource,
    life: {
      readonly onGone: () => void;
      readonly signal: AbortSignal;
      readonly activity: AgentActivity;
      readonly limit: StartLimit;
    },
  ): Promise<Session> {
    const definition = findAgent(this.#services.agents, thread.agent_id);
    const onStep = (step: string) => this.#onStep(thread.id, step, false);
    // Loaded with the first agent: ACP's schemas take 20 ms and 10 MB that a host without agents does not need.
    const { startSession } = await import("./start-session.ts");
    await this.#services.keys.load();
    return await startSession(this.#services, { thread, definition, opening, source, onStep, ...life });
  }

  #keepAwake(threadId: string, live: RunningThread): void {
    if (live.parking !== null) clearTimeout(live.parking);
    const idle = this.#services.userConfig.config.agent_idle_s * 1000;
    live.parking = setTimeout(() => void this.#park(threadId, live).catch(() => {}), idle).unref();
  }

  /** Stops an agent that was idle for long; the next prompt starts it again. */
  async #park(threadId: string, live: RunningThread): Promise<void> {
    const session = await live.session;
    if (session.isBusy) this.#keepAwake(threadId, live);
    else await this.#stop(threadId);
  }

  #forget(threadId: string, live: RunningThread): void {
    live.activity.end();
    if (live.parking !== null) clearTimeout(live.parking);
    if (this.#live.get(threadId) === live) this.#live.delete(threadId);
  }

  async #stop(threadId: string): Promise<void> {
    const live = this.#live.get(threadId);
    if (live === undefined) return;
    this.#forget(threadId, live);
    live.start.abort();
    try {
      await (await live.session).stop();
    } catch {
      // It did not start, so there is nothing to stop.
    }
  }

  async #running(threadId: string): Promise<Session | null> {
    await this.#thread(threadId);
    return (await this.#live.get(threadId)?.session) ?? null;
  }

  /** Records a change of a prompt that is held back while no agent runs. Throws when it is not queued any more. */
  async #recordHeld(threadId: string, turnId: string, fact: Fact): Promise<void> {
    new PromptQueue(await waitingTurns(this.#services.register, threadId)).remove(turnId);
    this.#record(threadId, fact);
    await this.#services.register.settled(threadId);
  }

  #record(threadId: string, fact: Fact): void {
    this.#services.register.append(threadId, { type: "fact", fact });
  }

  async #thread(threadId: string): Promise<ThreadRow> {
    const thread = await this.#services.register.getThread(threadId);
    if (thread === null) throw new HostError("not_found", `There is no thread ${threadId}.`);
    return thread;
  }
}
