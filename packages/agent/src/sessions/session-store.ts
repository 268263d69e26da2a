// Stores all sessions as files in one folder, so that any process of our agent can list, load and delete them.
import { mkdirSync } from "node:fs";
import { open, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { SessionFile } from "./session-file.ts";
import { emptyState, parseRecord, type SessionHead, type SessionState, type StoredSession } from "./session-records.ts";

interface SessionSummary {
  readonly id: string;
  readonly cwd: string;
  readonly additionalDirectories: readonly string[];
  readonly title: string | null;
  readonly updatedAt: string;
}

export interface SessionPage {
  readonly sessions: readonly SessionSummary[];
  readonly nextCursor: string | null;
}

const pageSize = 50;
/** Head and title are the first lines, written together. */
const headBytes = 16_384;

/** Session ids become file names, so nothing else is let through. */
const sessionId = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

interface Entry {
  readonly id: string;
  readonly modified: number;
}

export class SessionStore {
  readonly #folder: string;

  constructor(home: string) {
    this.#folder = join(home, "agent-sessions");
  }

  create(head: SessionHead): SessionFile {
    try {
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    } catch {
      // Then the file cannot be written either, and that is told.
    }
    const file = new SessionFile(this.#path(head.id));
    file.append(head);
    return file;
  }

  /** A new file with all that is known of this session. */
  copy({ head, state, messages, updates }: StoredSession): SessionFile {
    const file = this.create(head);
    file.append({ type: "state", state: { ...state, additionalDirectories: head.additionalDirectories } });
    for (const update of updates) file.append({ type: "update", update });
    file.append({ type: "history", messages });
    return file;
  }

  /** The file to go on with. */
  open(id: string): SessionFile {
    return new SessionFile(this.#path(id));
  }

  async read(id: string, beforePrompt?: string): Promise<StoredSession | undefined> {
    return sessionId.test(id) ? await SessionFile.read(this.#path(id), beforePrompt) : undefined;
  }

  /** False when there was none. */
  async delete(id: string): Promise<boolean> {
    if (!sessionId.test(id)) return false;
    return await rm(this.#path(id)).then(
      () => true,
      () => false,
    );
  }

  /** The newest first. A cursor stays good while sessions come and go. Undefined for a cursor that is not ours. */
  async list(cwd: string | null, cursor: string | null): Promise<SessionPage | undefined> {
    const after = cursor === null ? null : parseCursor(cursor);
    if (after === undefined) return undefined;
    const entries = (await this.#entries()).filter((entry) => after === null || isOlder(entry, after));
    const sessions: SessionSummary[] = [];
    for (const [index, entry] of entries.entries()) {
      const summary = await this.#summary(entry);
      if (summary === undefined || (cwd !== null && summary.cwd !== cwd)) continue;
      sessions.push(summary);
      if (sessions.length < pageSize || index === entries.length - 1) continue;
      return { sessions, nextCursor: `${entry.modified}_${entry.id}` };
    }
    return { sessions, nextCursor: null };
  }

  async #entries(): Promise<readonly Entry[]> {
    const names = await readdir(this.#folder).catch(() => []);
    const ids = names.flatMap((name) => (name.endsWith(".jsonl") ? [name.slice(0, -".jsonl".length)] : []));
    const entries = await Promise.all(
      ids
        .filter((id) => sessionId.test(id))
        .map(async (id) => {
          const facts = await stat(this.#path(id)).catch(() => undefined);
          return facts === undefined ? [] : [{ id, modified: Math.trunc(facts.mtimeMs) }];
        }),
    );
    return entries.flat().toSorted((a, b) => (isOlder(a, b) ? 1 : -1));
  }

  async #summary({ id, modified }: Entry): Promise<SessionSummary | undefined> {
    const text = await firstBytes(this.#path(id)).catch(() => "");
    const records = text.split("\n").flatMap((line) => parseRecord(line) ?? []);
    const [head] = records;
    if (head?.type !== "session") return undefined;
    const state = records.reduce<SessionState>(
      (before, record) => (record.type === "state" ? { ...before, ...record.state } : before),
      emptyState,
    );
    return {
      id,
      cwd: head.cwd,
      additionalDirectories: state.additionalDirectories ?? head.additionalDirectories,
      title: state.title,
      updatedAt: new Date(modified).toISOString(),
    };
  }

  #path(id: string): string {
    return join(this.#folder, `${id}.jsonl`);
  }
}

/** Whether `a` comes after `b` in the list. */
function isOlder(a: Entry, b: Entry): boolean {
  return a.modified === b.modified ? a.id < b.id : a.modified < b.modified;
}

function parseCursor(cursor: string): Entry | undefined {
  const [, modified, id] = /^(\d+)_(.+)$/.exec(cursor) ?? [];
  return modified === undefined || id === undefined || !sessionId.test(id)
    ? undefined
    : { id, modified: Number(modified) };
}

async function firstBytes(path: string): Promise<string> {
  await using file = await open(path, "r");
  const { buffer, bytesRead } = await file.read(Buffer.alloc(headBytes), 0, headBytes, 0);
  return buffer.subarray(0, bytesRead).toString("utf8");
}
