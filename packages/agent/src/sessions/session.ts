// Runs one session: its settings, its history, and at most one turn at a time. Prompts that come during a turn are queued.

import type {
  ContentBlock,
  SessionConfigOption,
  SessionModeState,
  SessionUpdate,
  StopReason,
} from "@agentclientprotocol/sdk";
import { SerialQueue } from "@signalbox/base";
import type { Config } from "@signalbox/config";
import type { ClosedPath } from "@signalbox/sandbox";
import { ToolCallTracker } from "@signalbox/tool-calls";
import { History } from "../loop/history.ts";
import { Steering } from "../loop/steering.ts";
import type { TurnOutput } from "../loop/turn.ts";
import { subtractUsage, type TurnUsage } from "../loop/usage.ts";
import type { CommandLine } from "../tools/commands/sandbox-options.ts";
import type { SessionClient } from "./client.ts";
import { availableCommands, noCommandSources, readSlashWord } from "./commands.ts";
import { isModeId, type ModeId, modeState } from "./modes.ts";
import { PrintedTools } from "./printed-tools.ts";
import { composeTitle, userParts } from "./prompt-content.ts";
import { type Prompt, type PromptContext, runPrompt, type SessionParts } from "./run-prompt.ts";
import type { SessionFile } from "./session-file.ts";
import type { SessionModels } from "./session-models.ts";
import { configOptions, isOffered, isThinking, routed, type Settings } from "./session-options.ts";
import { SessionPermissions } from "./session-permissions.ts";
import type { SessionStatePatch, StoredSession } from "./session-records.ts";
import { SessionUpdates, withoutTerminals } from "./session-updates.ts";
import { SessionUsage } from "./session-usage.ts";
import type { Toolbox } from "./toolbox.ts";

interface SessionOptions {
  readonly id: string;
  readonly cwd: string;
  readonly config: Config;
  readonly client: SessionClient;
  readonly file: SessionFile;
  readonly models: SessionModels;
  readonly settings: Settings;
  /** Null for a new one. */
  readonly stored: StoredSession | null;
}

/** What a client can say of a prompt. */
interface PromptWishes {
  /** A model for this prompt alone. */
  readonly model?: string | undefined;
  /** Its id; the session can be forked before it. */
  readonly promptId?: string | undefined;
}

interface PromptEnd {
  readonly stopReason: StopReason;
  /** The model that answered; undefined where none did. */
  readonly model: string | undefined;
  /** What the turn used; undefined where no model was asked. */
  readonly usage: TurnUsage | undefined;
}

export class Session {
  readonly id: string;
  readonly #parts: SessionParts;
  readonly #file: SessionFile;
  readonly #tracker: ToolCallTracker;
  readonly #permissions: SessionPermissions;
  readonly #printedTools = new PrintedTools((line) => process.stderr.write(line));
  #toolbox: Toolbox | undefined;
  /** What there was to say before the client knew the session; null afterwards. */
  #early: string[] | null = [];
  /** As JSON. */
  #shownCommands = "";
  #settings: Settings;
  #title: string | null;
  readonly #turns = new SerialQueue();
  #cancel = new AbortController();
  #closed = false;

  constructor({ id, cwd, config, client, file, models, settings, stored }: SessionOptions) {
    this.id = id;
    this.#file = file;
    this.#settings = settings;
    this.#title = stored?.state.title ?? null;
    const usage = new SessionUsage(stored?.state.usage ?? null, stored?.messages ?? []);
    const history = new History(stored?.messages ?? [], {
      appended: (message) => {
        usage.appended(message);
        file.append({ type: "message", message });
      },
      replaced: (messages) => {
        usage.replaced();
        file.append({ type: "history", messages });
      },
    });
    const updates = new SessionUpdates({
      sessionId: id,
      send: (notification) => client.sessionUpdate(notification),
      keep: (update) => file.append({ type: "update", update }),
      notices: client.capabilities.session?.notices !== undefined,
    });
    this.#tracker = new ToolCallTracker({
      client: { sessionUpdate: ({ update }) => updates.track(update) },
      sessionId: id,
      cwd,
    });
    this.#permissions = new SessionPermissions({
      client,
      rules: config.permissions,
      mode: () => this.#settings.mode,
      tools: () => this.#toolbox?.tools ?? [],
      autoAllowSandboxed: async () =>
        !config.sandbox.ask_commands && (await this.#toolbox?.workspace.areCommandsSandboxed()) === true,
      cwd,
      roots: () => this.#toolbox?.workspace.roots ?? [cwd],
    });
    const permissions = this.#permissions;
    this.#parts = { id, config, client, models, history, usage, updates, permissions, steering: new Steering() };
  }

  get modes(): SessionModeState {
    return modeState(this.#settings.mode);
  }

  get mode(): ModeId {
    return this.#settings.mode;
  }

  get configOptions(): SessionConfigOption[] {
    return configOptions(this.#settings, this.#parts.models.names);
  }

  /** Why a file that a tool opened is not what was decided about; null when it is. */
  refusal(realPath: string, kind: "read" | "edit"): string | null {
    return this.#permissions.refusal(realPath, kind);
  }

  /** The paths that rules and refusals close to a command. */
  findClosedPaths(line?: CommandLine): Promise<readonly ClosedPath[]> {
    return this.#permissions.findClosedPaths(line);
  }

  /** Gives the session its tools; before that it cannot be prompted. */
  equip(toolbox: Toolbox): void {
    this.#toolbox = toolbox;
  }

  /** Something the person should know; it waits until the client knows the session. */
  showNotice(text: string): void {
    if (this.#early === null) this.#parts.updates.showNotice(text);
    else this.#early.push(text);
  }

  /** Runs one turn after those before it. */
  prompt(prompt: readonly ContentBlock[], wanted: AbortSignal, wishes: PromptWishes = {}): Promise<PromptEnd> {
    // Taken now: a cancel means every prompt that was there when it came, also one that still waits.
    const signal = AbortSignal.any([this.#cancel.signal, wanted]);
    return this.#turns.run(() => this.#run(prompt, signal, wishes));
  }

  /** Gives text to the running turn, for the model's next request. False when no turn runs that could take it. */
  steer(prompt: readonly ContentBlock[]): boolean {
    if (!this.#parts.steering.add(userParts(prompt))) return false;
    this.#parts.updates.endMessage();
    for (const content of prompt) this.#parts.updates.keep({ sessionUpdate: "user_message_chunk", content });
    return true;
  }

  /** Ends every prompt that is there now. */
  cancel(): void {
    this.#cancel.abort(new DOMException("The turn was cancelled.", "AbortError"));
    this.#cancel = new AbortController();
  }

  setMode(mode: ModeId): void {
    this.#set({ mode });
  }

  /** False when there is no such option or value. */
  setOption(id: string, value: unknown): boolean {
    if (typeof value !== "string") return false;
    if (id === "mode" && isModeId(value)) this.#set({ mode: value });
    else if (id === "thinking" && isThinking(value) && isOffered(this.configOptions, id, value))
      this.#set({ thinking: value });
    else if (id === "model" && value === routed && isOffered(this.configOptions, id, routed))
      this.#set({ model: null });
    else if (id === "model" && isOffered(this.configOptions, id, this.#parts.models.canonical(value)))
      this.#set({ model: this.#parts.models.canonical(value) });
    else return false;
    return true;
  }

  /** Tells the client what it needs besides the answer to its request. */
  announce(): void {
    const toolbox = this.#toolbox;
    const notes = [...(toolbox?.problems ?? []), ...(this.#early ?? [])];
    this.#early = null;
    this.#showCommands();
    void this.#discoverModels();
    for (const note of notes) this.#parts.updates.showNotice(note);
    if (toolbox !== undefined) void toolbox.mcp.opened.then(() => this.serversChanged());
    if (toolbox !== undefined && this.#parts.usage.stored.requests > 0) this.#showUsage(toolbox).catch(() => {});
  }

  /** The MCP servers have other states, tools or prompts than before. */
  serversChanged(): void {
    if (this.#early !== null || this.#closed) return;
    this.#showCommands();
    if (this.#toolbox !== undefined) this.#printedTools.print(this.#toolbox);
  }

  /** Tells the client which slash commands there are, where they are others than before. */
  #showCommands(): void {
    const commands = availableCommands(this.#toolbox?.commandSources ?? noCommandSources);
    const shown = JSON.stringify(commands);
    if (shown === this.#shownCommands) return;
    this.#shownCommands = shown;
    this.#parts.updates.show({ sessionUpdate: "available_commands_update", availableCommands: commands });
  }

  /** The models of servers of the user's own, when these have answered. */
  async #discoverModels(): Promise<void> {
    if (!(await this.#parts.models.discover()) || this.#closed) return;
    this.#parts.updates.show({ sessionUpdate: "config_option_update", configOptions: this.configOptions });
  }

  /** Shows again what was shown. */
  async replay(updates: readonly SessionUpdate[]): Promise<void> {
    for (const update of updates.map(withoutTerminals))
      await this.#parts.client.sessionUpdate({ sessionId: this.id, update });
  }

  /** Ends everything that this session started. Never rejects. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.cancel();
    await this.#turns.finished();
    await this.#toolbox?.close();
    this.#file.close();
  }

  async #run(content: readonly ContentBlock[], signal: AbortSignal, wishes: PromptWishes): Promise<PromptEnd> {
    const toolbox = this.#toolbox;
    if (signal.aborted || this.#closed || toolbox === undefined)
      return { stopReason: "cancelled", model: undefined, usage: undefined };
    const { updates, usage } = this.#parts;
    this.#permissions.beginTurn();
    const before = usage.stored;
    const prompt = { content, slashWord: readSlashWord(content), signal };
    let model: string | undefined;
    const context = this.#createContext(prompt, toolbox, wishes.model, (name) => {
      model = name;
    });
    // A button of a client may send `/mcp`, which does not say what the session is about.
    if (prompt.slashWord?.name !== "mcp") this.#nameSession(content);
    if (wishes.promptId !== undefined) this.#file.append({ type: "prompt", id: wishes.promptId });
    for (const part of content) updates.keep({ sessionUpdate: "user_message_chunk", content: part });
    try {
      const stopReason = await runPrompt(context);
      return { stopReason, model, usage: subtractUsage(before, this.#parts.usage.stored) };
    } finally {
      this.#parts.updates.endMessage();
      await this.#tracker.settleAll(signal.aborted ? "Cancelled." : "The turn ended before this call did.");
      this.#keepState({ usage: this.#parts.usage.stored });
      const problem = this.#file.takeProblem();
      if (problem !== undefined) this.showNotice(`This session cannot be kept: ${problem.message}`);
    }
  }

  /** What a session that is loaded again has used; without its model no one knows of how much. */
  async #showUsage(toolbox: Toolbox): Promise<void> {
    const model = await this.#parts.models.open(this.#settings.model ?? this.#parts.models.names.complex);
    this.#parts.updates.show(this.#parts.usage.update(model, this.#contextTokens(toolbox)));
  }

  #contextTokens(toolbox: Toolbox): number {
    return this.#parts.usage.contextTokens(toolbox.systemPrompt(this.#settings.mode), this.#parts.history.messages);
  }

  /** The first prompt is the session's name. It stands near the beginning of the file, where the list looks for it. */
  #nameSession(prompt: readonly ContentBlock[]): void {
    if (this.#title !== null) return;
    this.#title = composeTitle(prompt);
    this.#keepState({ title: this.#title });
    const updatedAt = new Date().toISOString();
    this.#parts.updates.show({ sessionUpdate: "session_info_update", title: this.#title, updatedAt });
  }

  #set(change: Partial<Settings>): void {
    const modeChanged = change.mode !== undefined && change.mode !== this.#settings.mode;
    this.#settings = { ...this.#settings, ...change };
    this.#keepState(change);
    // Some clients look at modes, some at options: both are told, whichever was used.
    if (modeChanged)
      this.#parts.updates.show({ sessionUpdate: "current_mode_update", currentModeId: this.#settings.mode });
    this.#parts.updates.show({ sessionUpdate: "config_option_update", configOptions: this.configOptions });
  }

  #keepState(state: SessionStatePatch): void {
    this.#file.append({ type: "state", state });
  }

  #createContext(
    prompt: Prompt,
    toolbox: Toolbox,
    wanted: string | undefined,
    onModel: (name: string) => void,
  ): PromptContext {
    const { models } = this.#parts;
    const once = wanted === undefined ? {} : { model: wanted === routed ? null : models.canonical(wanted) };
    return {
      session: this.#parts,
      prompt,
      toolbox,
      output: this.#makeOutput(toolbox),
      settings: () => ({ ...this.#settings, ...once }),
      onModel: ({ provider, name }) => onModel(models.canonical(`${provider}:${name}`)),
      chooseModel: (name) => this.#set({ model: models.canonical(name) }),
    };
  }

  #makeOutput(toolbox: Toolbox): TurnOutput {
    const { updates, usage } = this.#parts;
    return {
      tracker: this.#tracker,
      showText: (text) => updates.appendText(text),
      showThought: (text) => updates.appendThought(text),
      showNotice: (text) => updates.showNotice(text),
      used: (spent, model) => {
        usage.add(spent, model);
        usage.counted(spent);
        updates.show(usage.update(model, this.#contextTokens(toolbox)));
      },
      spent: (spent, model) => {
        usage.add(spent, model);
        updates.show(usage.update(model, this.#contextTokens(toolbox)));
      },
      cost: () => usage.cost,
      contextTokens: () => this.#contextTokens(toolbox),
    };
  }
}
