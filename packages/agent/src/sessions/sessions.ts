// Holds the sessions of this process, and opens them: new ones, and stored ones.

import { randomUUID } from "node:crypto";
import { stat } from "node:fs/promises";
import { isAbsolute, join, resolve } from "node:path";
import type { McpServer } from "@agentclientprotocol/sdk";
import { SerialQueue } from "@signalbox/base";
import { type Config, ConfigError, loadConfig, type MergedConfig } from "@signalbox/config";
import { Catalogue } from "@signalbox/config/models";
import { noProvider } from "@signalbox/config/providers";
import { chooseProvider, type ProviderFlags } from "../providers/choose-provider.ts";
import type { SessionClient } from "./client.ts";
import { isModeId, type ModeId } from "./modes.ts";
import { Session } from "./session.ts";
import { noSuchSession, SessionError } from "./session-error.ts";
import type { SessionFile } from "./session-file.ts";
import { SessionModels } from "./session-models.ts";
import type { Settings } from "./session-options.ts";
import type { SessionHead, StoredSession } from "./session-records.ts";
import { type SessionPage, SessionStore } from "./session-store.ts";
import { openToolbox } from "./toolbox.ts";
import { warmUp } from "./warm-up.ts";

interface SessionsOptions extends ProviderFlags {
  readonly home: string;
  readonly version: string;
  readonly env: NodeJS.ProcessEnv;
  readonly client: SessionClient;
  readonly mode?: ModeId;
  readonly configFile?: string;
}

export interface SessionRequest {
  readonly cwd: string;
  readonly additionalDirectories?: readonly string[];
  readonly mcpServers?: readonly McpServer[];
  /** For a new session: `NAME`, `PROVIDER:NAME`, or `PROVIDER:` for its usual one. */
  readonly model?: string;
}

export class Sessions {
  readonly #options: SessionsOptions;
  readonly #store: SessionStore;
  readonly #running = new Map<string, Session>();
  /** One after the other, because two immediately could open the same session twice. */
  readonly #restoring = new SerialQueue();

  constructor(options: SessionsOptions) {
    this.#options = options;
    this.#store = new SessionStore(options.home);
  }

  get(id: string): Session {
    const session = this.#running.get(id);
    if (session === undefined) throw noSuchSession(id);
    return session;
  }

  async create(request: SessionRequest): Promise<Session> {
    const head = newHead(await checkedFolders(request));
    return await this.#start(head, request, null, () => this.#store.create(head));
  }

  /**
   * A new session that knows all that this one knew, or what it knew before a prompt, with the same settings. The other stays as it is. Throws where
   * nothing is known from before the prompt: the client may have something to tell.
   */
  async fork(id: string, request: SessionRequest, beforePrompt?: string): Promise<Session> {
    const head = newHead(await checkedFolders(request));
    const stored = await this.#store.read(id, beforePrompt);
    if (beforePrompt !== undefined && (stored === undefined || stored.messages.length === 0))
      throw new SessionError("bad_request", `The session ${id} knows nothing from before the prompt ${beforePrompt}.`);
    if (stored === undefined) throw noSuchSession(id);
    // The cost of the original session stays with it.
    const { instructions } = stored.state;
    // Another folder has instructions of its own.
    const kept = head.cwd === stored.head.cwd ? instructions : null;
    const copy = { ...stored, head, state: { ...stored.state, usage: null, instructions: kept } };
    return await this.#start(head, request, copy, () => this.#store.copy(copy));
  }

  /** From what is stored. A session that runs here is ended first, with its turn, unless the request is refused. */
  restore(id: string, request: SessionRequest): Promise<{ session: Session; stored: StoredSession }> {
    return this.#restoring.run(() => this.#restore(id, request));
  }

  async #restore(id: string, request: SessionRequest): Promise<{ session: Session; stored: StoredSession }> {
    const folders = await checkedFolders(request);
    let stored = await this.#stored(id, folders);
    const running = this.#running.get(id);
    if (running !== undefined) {
      this.#running.delete(id);
      await running.close();
      stored = await this.#stored(id, folders);
    }
    const session = await this.#start({ ...stored.head, ...folders }, request, stored, () => {
      const file = this.#store.open(id);
      file.append({ type: "state", state: { additionalDirectories: folders.additionalDirectories } });
      return file;
    });
    return { session, stored };
  }

  async #stored(id: string, { cwd }: Folders): Promise<StoredSession> {
    const stored = await this.#store.read(id);
    if (stored === undefined) throw noSuchSession(id);
    if (stored.head.cwd === cwd) return stored;
    throw new SessionError("bad_request", `The session ${id} belongs to ${stored.head.cwd}, not to ${cwd}.`);
  }

  async list(cwd: string | null, cursor: string | null): Promise<SessionPage> {
    if (cwd !== null && !isAbsolute(cwd))
      throw new SessionError("bad_request", `cwd must be an absolute path, not ${cwd}.`);
    const page = await this.#store.list(cwd === null ? null : resolve(cwd), cursor);
    if (page === undefined) throw new SessionError("bad_request", "This cursor is not from an earlier page.");
    return page;
  }

  /** A session that is not here has nothing to cancel. */
  cancel(id: string): void {
    this.#running.get(id)?.cancel();
  }

  async close(id: string): Promise<void> {
    const session = this.get(id);
    this.#running.delete(id);
    await session.close();
  }

  async delete(id: string): Promise<void> {
    const session = this.#running.get(id);
    this.#running.delete(id);
    await session?.close();
    if (!(await this.#store.delete(id))) throw noSuchSession(id);
  }

  async closeAll(): Promise<void> {
    const sessions = [...this.#running.values()];
    this.#running.clear();
    await Promise.all(sessions.map((session) => session.close()));
  }

  async #start(
    { id, cwd, additionalDirectories }: SessionHead,
    { mcpServers = [], model }: SessionRequest,
    stored: StoredSession | null,
    openFile: () => SessionFile,
  ): Promise<Session> {
    const { client, env, home, version } = this.#options;
    const { config, ignored } = this.#config(cwd);
    const wanted = stored?.state.model ?? model;
    const models = this.#models(config, wanted ?? undefined);
    const settings = this.#settings(config, stored, models, model);
    const file = openFile();
    if (stored === null && settings.model !== null) file.append({ type: "state", state: { model: settings.model } });
    const session = new Session({ id, cwd, config, client, file, models, settings, stored });
    try {
      const toolbox = await openToolbox({
        sessionId: id,
        cwd,
        additionalDirectories,
        home,
        version,
        env,
        config,
        client,
        mode: () => session.mode,
        refusal: (realPath, kind) => session.refusal(realPath, kind),
        closedPaths: (line) => session.findClosedPaths(line),
        beginning: stored?.state.instructions ?? null,
        onBeginning: (instructions) => file.append({ type: "state", state: { instructions } }),
        servers: mcpServers,
        problems: ignored,
        onNotice: (notice) => session.showNotice(notice),
        onServersChanged: () => session.serversChanged(),
      });
      session.equip(toolbox);
      warmUp(toolbox.tools, config.sandbox.mode === "off");
    } catch (error) {
      await session.close();
      throw error;
    }
    this.#running.set(id, session);
    return session;
  }

  #config(cwd: string): MergedConfig {
    const { home, configFile } = this.#options;
    try {
      const user = loadConfig(configFile ?? join(home, "config.json"), { required: configFile !== undefined });
      return user.inProject(cwd);
    } catch (error) {
      throw error instanceof ConfigError ? new SessionError("misconfigured", error.message) : error;
    }
  }

  #models(config: Config, wanted: string | undefined): SessionModels {
    const choice = chooseProvider(
      this.#options,
      config,
      this.#options.env,
      wanted,
      new Catalogue(this.#options.home, config.providers),
    );
    if (choice === undefined) throw new SessionError("needs_key", noProvider);
    const { provider, keyRequired, keyVariable, apiKey } = choice.settings(wanted ?? choice.models.complex);
    if (keyRequired && apiKey === undefined) {
      throw new SessionError("needs_key", `${provider} needs a key: set ${keyVariable} in the environment.`);
    }
    const models = new SessionModels(choice);
    // Loaded while no one waits; what goes wrong is told when somebody asks.
    models.open(wanted ?? choice.models.complex).catch(() => {});
    return models;
  }

  #settings(config: Config, stored: StoredSession | null, models: SessionModels, wanted: string | undefined): Settings {
    const { mode, thinking = null } = stored?.state ?? {};
    const model = stored?.state.model ?? (wanted === undefined ? null : models.canonical(wanted));
    const usual = this.#options.mode ?? (config.sandbox.mode === "off" ? "rwx" : config.sandbox.mode);
    return {
      mode: typeof mode === "string" && isModeId(mode) ? mode : usual,
      model,
      thinking,
    };
  }
}

function newHead(folders: Folders): SessionHead {
  return { type: "session", version: 1, id: randomUUID(), ...folders, createdAt: new Date().toISOString() };
}

interface Folders {
  readonly cwd: string;
  readonly additionalDirectories: readonly string[];
}

async function checkedFolders({ cwd, additionalDirectories = [] }: SessionRequest): Promise<Folders> {
  for (const folder of [cwd, ...additionalDirectories]) {
    if (!isAbsolute(folder)) throw new SessionError("bad_request", `Folders must be absolute paths, not ${folder}.`);
    const facts = await stat(folder).catch(() => undefined);
    if (!facts?.isDirectory()) throw new SessionError("bad_request", `There is no folder ${folder}.`);
  }
  return { cwd: resolve(cwd), additionalDirectories: additionalDirectories.map((folder) => resolve(folder)) };
}
