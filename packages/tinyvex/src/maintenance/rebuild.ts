// Drops every projection and makes it again by replaying the log through the same projector, in one transaction: either
// all rows are new or none is.
import type { DatabaseSync } from "node:sqlite";
import { integer } from "../database/row.ts";
import type { EventLog, LoggedEvent } from "../log/event-log.ts";
import type { Projector } from "../projection/projector.ts";
import { readLogged } from "../writer/entry-queue.ts";
import { UnusedBlobs } from "./unused-blobs.ts";

const eventsPerBatch = 500;

export interface Replay {
  readonly total: number;
  /** How many events `next` takes at most. */
  readonly batch: number;
  /** Replays the next events; false when none is left. */
  next(): boolean;
}

/** Must run inside a transaction. */
export function startReplay(database: DatabaseSync, log: EventLog, projector: Projector): Replay {
  const count = database.prepare("SELECT count(*) AS n FROM acp_events").get() ?? { n: 0 };
  database.exec(`
    DELETE FROM threads;
    INSERT INTO search_text(search_text) VALUES ('delete-all');
    DELETE FROM search_items;
    DELETE FROM search_queue;
    DELETE FROM search_slices;
    DELETE FROM blob_uses WHERE used_by = 'rows';
  `);
  new UnusedBlobs(database).dropAll();
  projector.reset();
  let last = 0;
  return {
    total: integer(count, "n"),
    batch: eventsPerBatch,
    next() {
      const events = log.after(last, eventsPerBatch);
      for (const { id, event, stored } of events) {
        last = id;
        replay(projector, event, stored);
      }
      // The changes were published when they happened.
      projector.endWindow();
      projector.states.trim();
      return events.length === eventsPerBatch;
    },
  };
}

function replay(projector: Projector, event: LoggedEvent, bytes: number): void {
  if (event.kind === "signalbox/thread_created") {
    projector.createThread(event);
    return;
  }
  const state = projector.states.get(event.threadId);
  // A thread's first event makes it; without one there is nothing to project to.
  if (state === null) return;
  state.record.bytes += bytes;
  projector.apply(state, event, readLogged(event.kind, event.value));
}
