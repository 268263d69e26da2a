// Holds the sessions of one client, and lists, loads and deletes those that Claude Code has stored.
import { statSync } from "node:fs";
import { isAbsolute } from "node:path";
import type { McpServer, SessionInfo } from "@agentclientprotocol/sdk";
import { loadInstructions } from "@signalbox/agent-kit";
import { ClaudeError } from "../errors/claude-error.ts";
import { findDataFolder } from "../sdk/data-folder.ts";
import { mcpServers } from "./mcp-servers.ts";
import { readProjectServers } from "./project-servers.ts";
import { Session } from "./session.ts";
import { SessionBeginnings } from "./session-beginnings.ts";
import type { SessionServices } from "./session-services.ts";

const pageSize = 50;

interface SessionRequest {
  readonly cwd: string;
  readonly mcpServers?: readonly McpServer[];
  readonly additionalDirectories?: readonly string[];
}

export class Sessions {
  readonly #services: SessionServices;
  readonly #open = new Map<string, Session>();
  readonly #beginnings: SessionBeginnings;

  constructor(services: SessionServices) {
    this.#services = services;
    this.#beginnings = new SessionBeginnings(findDataFolder(services.env));
  }

  async create(request: SessionRequest): Promise<Session> {
    return await this.#add(crypto.randomUUID(), request);
  }

  /** Resumes a session that Claude Code has stored; with `replay` its updates are sent again. */
  async restore(id: string, request: SessionRequest, { replay }: { replay: boolean }): Promise<Session> {
    await this.#open.get(id)?.close();
    this.#open.delete(id);
    if (!isId(id) || (await this.#services.sdk.getSessionInfo(id, { dir: request.cwd })) === undefined)
      throw notFound(id);
    const session = await this.#add(id, request);
    if (replay) await session.replay();
    return session;
  }

  get(id: string): Session {
    const session = this.#open.get(id);
    if (session === undefined) throw notFound(id);
    return session;
  }

  find(id: string): Session | undefined {
    return this.#open.get(id);
  }

  async list(cwd: string | null, cursor: string | null): Promise<{ sessions: SessionInfo[]; nextCursor?: string }> {
    const offset = cursor === null ? 0 : Number(cursor);
    if (!Number.isSafeInteger(offset) || offset < 0)
      throw new ClaudeError("bad_request", `There is no page "${cursor}".`);
    const found = await this.#services.sdk.listSessions({
      limit: pageSize + 1,
      offset,
      ...(cwd !== null && { dir: cwd }),
    });
    const sessions = found
      .slice(0, pageSize)
      .flatMap(({ sessionId, summary, lastModified, cwd: folder = cwd }) =>
        folder === null
          ? []
          : [{ sessionId, cwd: folder, title: summary, updatedAt: new Date(lastModified).toISOString() }],
      );
    return { sessions, ...(found.length > pageSize && { nextCursor: String(offset + pageSize) }) };
  }

  async close(id: string): Promise<void> {
    await this.get(id).close();
    this.#open.delete(id);
  }

  async delete(id: string): Promise<void> {
    await this.#open.get(id)?.close();
    this.#open.delete(id);
    if (!isId(id) || (await this.#services.sdk.getSessionInfo(id)) === undefined) return;
    await this.#services.sdk.deleteSession(id);
    this.#beginnings.remove(id);
  }

  async closeAll(): Promise<void> {
    await Promise.all([...this.#open.values()].map((session) => session.close()));
    this.#open.clear();
  }

  killNow(): void {
    for (const session of this.#open.values()) session.killNow();
  }

  async #add(
    id: string,
    { cwd, mcpServers: servers = [], additionalDirectories = [] }: SessionRequest,
  ): Promise<Session> {
    if (!isAbsolute(cwd) || statSync(cwd, { throwIfNoEntry: false })?.isDirectory() !== true) {
      throw new ClaudeError("bad_request", `${cwd} is no folder. Give the absolute path of one that exists.`);
    }
    const folders = additionalDirectories;
    const home = findDataFolder(this.#services.env);
    const known = this.#beginnings.read(id, cwd);
    const { user, project, notes, beginning } = await loadInstructions({ cwd, home, beginning: known });
    if (known === undefined) this.#beginnings.write(id, { cwd, beginning });
    for (const note of notes) this.#services.log(note);
    const place = {
      id,
      cwd,
      folders,
      servers: { ...readProjectServers(this.#services, { cwd, folders }), ...mcpServers(servers) },
      instructions: { user, project },
    };
    const session = new Session(this.#services, place);
    this.#open.set(id, session);
    try {
      await session.open();
      return session;
    } catch (error) {
      this.#open.delete(id);
      await session.close();
      throw error;
    }
  }
}

function notFound(id: string): ClaudeError {
  return new ClaudeError("session_not_found", id);
}

/** Claude Code's own ids; anything else would be a part of a path. */
function isId(id: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(id);
}
