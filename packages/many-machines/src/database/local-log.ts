// Declares the log of this machine, which is shipped, as its register gives it.
import type { LogPosition, PortableEvent, PortableItems, ThreadSummaryRow } from "@signalbox/protocol";

export interface LocalLog {
  listPositions(): Promise<readonly LogPosition[]>;
  /** The next events after `seq`: at least one where there is one, and about `maxLength` characters at most. */
  read(threadId: string, seq: number, maxLength: number): Promise<readonly PortableEvent[]>;
  readonly readBlob: (hash: string) => Promise<Uint8Array>;
  /** The completed items whose last change is one of the events after `after` and up to `upTo`. */
  readCompleted(threadId: string, after: number, upTo: number): Promise<PortableItems>;
  getThread(threadId: string): Promise<ThreadSummaryRow | null>;
}
