// Runs one session of Claude Code for one client: prompts one after the other, a mode, a model. Its process starts when it is needed, and
// again after it died.

import type { ContentBlock, SessionConfigOption, SessionModeState, StopReason } from "@agentclientprotocol/sdk";
import { createPolicy, KeptOutputs } from "@signalbox/agent-kit";
import { SerialQueue } from "@signalbox/base";

import { ClaudeError } from "../errors/claude-error.ts";
import { findDataFolder } from "../sdk/data-folder.ts";
import { assistantMessage, type ClaudeMessage, readMessage, userMessage } from "../sdk/messages.ts";
import type { PermissionMode, SdkInitialization } from "../sdk/sdk.ts";
import { openShell, type Shell } from "../tools/bash.ts";
import { SeenFiles } from "../tools/seen-files.ts";
import { availableCommands } from "../updates/commands.ts";
import { SessionToolCalls } from "../updates/session-tool-calls.ts";
import { Translator } from "../updates/translator.ts";
import { isLoggedIn } from "./login.ts";
import { modelOption } from "./model-option.ts";
import { offeredModes } from "./modes.ts";
import { promptContent } from "./prompt-content.ts";
import { RunningClaude } from "./running-claude.ts";
import type { SessionPlace, SessionServices } from "./session-services.ts";
import { startOptions } from "./start-options.ts";
import { Turn, type TurnOutcome } from "./turn.ts";
import { createLoginError, keyRefusedMessage, turnEnd } from "./turn-end.ts";

/** A cancelled turn that does not end in this time is ended with its process. */
const cancelTimeoutMs = 5000;

export class Session {
  readonly id: string;
  readonly #services: SessionServices;
  readonly #place: SessionPlace;
  readonly #calls: SessionToolCalls;
  readonly #translator: Translator;
  readonly #seen = new SeenFiles();
  readonly #shell: Shell | undefined;
  readonly #outputs: KeptOutputs;
  #mode: PermissionMode = "default";
  #model: string | null = null;
  #claude: RunningClaude | null = null;
  #initialization: SdkInitialization | null = null;
  #turn: Turn | null = null;
  readonly #prompts = new SerialQueue();
  /** How often it was cancelled: a prompt that waited through one does not run any more. */
  #cancels = 0;
  #isClosed = false;

  constructor(services: SessionServices, place: SessionPlace) {
    const { client, showsNotices } = services;
    const { id, cwd } = place;
    this.id = id;
    this.#services = services;
    this.#place = place;
    this.#calls = new SessionToolCalls({ client, sessionId: id, cwd });
    const terminals = services.terminals(id);
    const home = findDataFolder(services.env);
    this.#outputs = new KeptOutputs(home, () =>
      createPolicy({ mode: "sandbox", network: "off", workspaceFolders: [cwd], dataFolder: home }),
    );
    const escalates = services.sandbox?.escalates === true;
    const keep = (text: string) => this.#outputs.keep(text);
    this.#shell = terminals === undefined ? undefined : openShell(terminals, { cwd, escalates, keep });
    this.#translator = new Translator({
      sessionId: id,
      client,
      calls: this.#calls,
      showsNotices,
      onMode: (mode) => this.#modeChanged(mode),
      onRead: (...read) => this.#seen.noteLines(...read),
    });
  }

  get modes(): SessionModeState {
    return {
      currentModeId: this.#mode,
      availableModes: offeredModes(this.#services.mayBypass).map((mode) => ({ ...mode })),
    };
  }

  get configOptions(): SessionConfigOption[] {
    return modelOption(this.#initialization?.models ?? [], this.#model);
  }

  /** Starts Claude Code. Throws when no one is logged in. */
  async open(): Promise<void> {
    const { account } = await this.#start();
    if (!isLoggedIn(account)) throw createLoginError();
  }

  /** Tells the client what was said in this session before. */
  async replay(): Promise<void> {
    const { sdk } = this.#services;
    for (const stored of await sdk.getSessionMessages(this.id, { dir: this.#place.cwd })) {
      if (stored.type === "user") this.#translator.replay(userMessage({ ...stored }));
      else if (stored.type === "assistant") this.#translator.replay(assistantMessage({ ...stored }));
    }
    await this.#calls.settleAll("It was never told how this ended.");
    await this.#translator.flush();
  }

  /** Sends the updates that follow directly after the session was created. */
  announce(): void {
    const commands = this.#initialization?.commands ?? [];
    this.#translator.send({
      sessionUpdate: "available_commands_update",
      availableCommands: availableCommands(commands),
    });
  }

  /** Prompts run one after the other. */
  prompt(prompt: readonly ContentBlock[]): Promise<StopReason> {
    const cancels = this.#cancels;
    return this.#prompts.run(() => (this.#cancels === cancels ? this.#run(prompt) : "cancelled"));
  }

  /** The prompt that runs, and those that wait behind it. */
  cancel(): void {
    this.#cancels++;
    this.#stopTurn("cancelled");
  }

  async setMode(modeId: string): Promise<void> {
    const mode = offeredModes(this.#services.mayBypass).find(({ id }) => id === modeId);
    if (mode === undefined) {
      const known = offeredModes(this.#services.mayBypass).map(({ id }) => id);
      throw new ClaudeError("bad_request", `There is no mode "${modeId}" here. There are ${known.join(", ")}.`);
    }
    if (this.#claude?.isOver === false) await this.#claude.setMode(mode.id);
    this.#mode = mode.id;
  }

  async setModel(model: string): Promise<void> {
    const known = this.#initialization?.models.map(({ value }) => value) ?? [];
    if (!known.includes(model)) {
      throw new ClaudeError("bad_request", `There is no model "${model}" here. There are ${known.join(", ")}.`);
    }
    if (this.#claude?.isOver === false) await this.#claude.setModel(model);
    this.#model = model;
  }

  /** Resolves when nothing of this session runs any more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#turn?.stop("cancelled");
    const claude = this.#claude;
    this.#claude = null;
    await Promise.all([claude?.stop(), this.#shell?.jobs.close()]);
    await this.#outputs.close();
    this.#turn?.end({ type: "given_up" });
    await this.#calls.settleAll("The session was closed.");
  }

  killNow(): void {
    this.#claude?.killNow();
  }

  async #run(prompt: readonly ContentBlock[]): Promise<StopReason> {
    if (this.#isClosed) return "cancelled";
    const turn = new Turn();
    this.#turn = turn;
    let isDone = false;
    try {
      if (this.#claude === null || this.#claude.isOver) await this.#start();
      if (turn.cause === "cancelled") return "cancelled";
      this.#claude?.send({
        type: "user",
        message: { role: "user", content: promptContent(prompt) },
        parent_tool_use_id: null,
        uuid: turn.promptId,
      });
      const reason = this.#stopReason(turn, await turn.ended);
      isDone = reason !== "cancelled";
      return reason;
    } finally {
      turn.end({ type: "given_up" });
      this.#turn = null;
      if (isDone) await this.#calls.settleTurn("The turn ended before this did.");
      else await this.#calls.settleAll(turn.cause === "cancelled" ? "The user cancelled." : "The turn failed.");
      await this.#translator.flush();
    }
  }

  #stopReason(turn: Turn, outcome: TurnOutcome): StopReason {
    if (turn.cause === "cancelled") return "cancelled";
    if (turn.cause !== null) throw turn.cause;
    switch (outcome.type) {
      case "result":
        return turnEnd(outcome.result, turn.errorKind);
      case "died":
        throw outcome.error;
      case "given_up":
        throw new ClaudeError(
          "claude_died",
          "Claude Code did not stop and was ended. The next prompt starts it again.",
        );
    }
  }

  /** Claude Code ends a turn that is interrupted with a result; if it does not, its process is ended. */
  #stopTurn(cause: "cancelled" | Error): void {
    const turn = this.#turn;
    const claude = this.#claude;
    if (turn === null || !turn.stop(cause) || claude === null) return;
    claude.interrupt().catch(() => {});
    const limit = setTimeout(() => {
      turn.end({ type: "given_up" });
      void claude.stop();
    }, cancelTimeoutMs);
    void turn.ended.then(() => clearTimeout(limit));
  }

  async #start(): Promise<SdkInitialization> {
    const { sdk } = this.#services;
    const isStored = (await sdk.getSessionInfo(this.id, { dir: this.#place.cwd })) !== undefined;
    if (this.#isClosed) throw new ClaudeError("bad_request", "The session was closed.");
    const options = startOptions(this.#services, this.#place, {
      calls: this.#calls,
      seen: this.#seen,
      shell: this.#shell,
      model: this.#model,
      isStored,
      mode: () => this.#mode,
      stopSignal: () => this.#turn?.signal ?? new AbortController().signal,
    });
    const claude = new RunningClaude(sdk, options, (message) => this.#handle(claude, readMessage(message)));
    this.#claude = claude;
    void claude.over.then((error) => {
      if (this.#claude === claude) this.#turn?.end({ type: "died", error });
    });
    this.#initialization = await claude.initialization();
    return this.#initialization;
  }

  #handle(from: RunningClaude, message: ClaudeMessage | null): void {
    if (message === null || this.#claude !== from) return;
    this.#translator.add(message);
    const turn = this.#turn;
    if (turn === null) return;
    if (message.type === "result" && turn.isEndedBy(message)) turn.end({ type: "result", result: message });
    else if (message.type === "assistant") turn.errorKind = message.error ?? turn.errorKind;
    // A prompt that was cancelled while it waited for its beginning begins nevertheless.
    else if (message.type === "message_start" && turn.cause !== null) from.interrupt().catch(() => {});
    // Once may be a token that is renewed; after that Claude Code would go on trying for minutes.
    else if (message.type === "retry" && message.error === "authentication_failed" && message.attempt > 1) {
      this.#stopTurn(new ClaudeError("key_refused", keyRefusedMessage));
    }
  }

  #modeChanged(mode: string): void {
    if (mode === this.#mode) return;
    const offered = offeredModes(this.#services.mayBypass).find(({ id }) => id === mode);
    if (offered === undefined) return;
    this.#mode = offered.id;
    this.#translator.send({ sessionUpdate: "current_mode_update", currentModeId: mode });
  }
}
