// Finds how much of a session is already in the register: every imported entry has a number, and an import marks a session that is complete.
import { isJsonObject, type ThreadRow } from "@signalbox/protocol";
import type { Register } from "@signalbox/tinyvex";
import type { HistoryHead } from "./history.ts";
import { importMark } from "./history-builder.ts";

/** In `meta` of the fact that ends the import of a session: the number of its entries, and the file. */
export const importedMark = "signalbox/imported";

type ImportPosition =
  | { readonly type: "new" }
  /** A thread was created for it and is still empty. */
  | { readonly type: "empty"; readonly thread: ThreadRow }
  /** Everything that the file had at the time was imported. */
  | { readonly type: "imported"; readonly thread: ThreadRow; readonly entries: number }
  /** An import of it was interrupted. */
  | { readonly type: "unfinished"; readonly thread: ThreadRow }
  /** Signalbox ran or continued it, so the register has more than the file. */
  | { readonly type: "lived_here" }
  /** Another file of the same session has been imported already. */
  | { readonly type: "taken" };

const pageLength = 500;

export class ImportedThreads {
  readonly #register: Register;
  readonly #bySession = new Map<string, ThreadRow>();
  readonly #empty = new Map<string, ThreadRow>();
  readonly #taken = new Set<string>();

  private constructor(register: Register) {
    this.#register = register;
  }

  static async read(register: Register): Promise<ImportedThreads> {
    const threads = new ImportedThreads(register);
    for (const archived of [false, true]) {
      for (let cursor: string | undefined, isFirst = true; isFirst || cursor !== undefined; isFirst = false) {
        const page = await register.query("threads.list", { archived, limit: pageLength, cursor });
        for (const row of page.rows) threads.#add(row);
        cursor = page.next_cursor;
      }
    }
    return threads;
  }

  /** Each session can be opened once. */
  async open(agentId: string, head: HistoryHead): Promise<ImportPosition> {
    if (this.#taken.has(head.sessionId)) return { type: "taken" };
    this.#taken.add(head.sessionId);
    const thread = this.#bySession.get(head.sessionId);
    if (thread !== undefined) return await this.#findPosition(thread);
    const key = makeEmptyKey(agentId, head.cwd, head.title);
    const empty = this.#empty.get(key);
    this.#empty.delete(key);
    return empty === undefined ? { type: "new" } : { type: "empty", thread: empty };
  }

  #add(thread: ThreadRow): void {
    if (thread.session_id !== null) this.#bySession.set(thread.session_id, thread);
    else if (thread.last_seq === 1) this.#empty.set(makeEmptyKey(thread.agent_id, thread.cwd, thread.title), thread);
  }

  async #findPosition(thread: ThreadRow): Promise<ImportPosition> {
    const { rows } = await this.#register.query("turns.list", { thread_id: thread.id, limit: 1 });
    const [turn] = rows;
    if (turn !== undefined && !turn.turn_id.startsWith("import-")) return { type: "lived_here" };
    const page = await this.#register.query("events.list", { thread_id: thread.id, limit: pageLength });
    for (const { kind, payload } of page.rows.toReversed()) {
      if (!isJsonObject(payload)) continue;
      const { _meta: updateMeta, meta: factMeta } = payload;
      const meta = updateMeta ?? factMeta;
      if (!isJsonObject(meta)) continue;
      const done = meta[importedMark];
      // Only the host writes facts, so an agent cannot forge this mark.
      if (kind === "signalbox/session_ended" && isJsonObject(done)) {
        return { type: "imported", thread, entries: Number(done.entries) };
      }
      if (importMark in meta) return { type: "unfinished", thread };
    }
    return { type: "lived_here" };
  }
}

function makeEmptyKey(agentId: string, cwd: string, title: string | null): string {
  return JSON.stringify([agentId, cwd, title]);
}
