// The append-only log: every event of a thread under a gapless `seq`, payload as sent.
import type { DatabaseSync } from "node:sqlite";

export class EventLog {
  readonly #insert;

  constructor(database: DatabaseSync) {
    this.#insert = database.prepare("INSERT INTO acp_events(thread_id, seq, ts, kind, payload) VALUES (?, ?, ?, ?, ?)");
  }

  append(threadId: string, seq: number, ts: number, kind: string, payload: string): void {
    this.#insert.run(threadId, seq, ts, kind, payload);
  }
}
