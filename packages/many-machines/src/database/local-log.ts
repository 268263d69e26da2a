// Declares what is shipped: the log of this machine, as its register gives it.
import type { LogPosition, PortableEvent, PortableItems, ThreadSummaryRow } from "@signalbox/protocol";

export interface LocalLog {
  positions(): Promise<readonly LogPosition[]>;
  /** The next events after `seq`: at least one where there is one, and about `maxLength` characters at most. */
  read(threadId: string, seq: number, maxLength: number): Promise<readonly PortableEvent[]>;
  readonly readBlob: (hash: string) => Promise<Uint8Array>;
  /** What events after `after` and up to `upTo` changed last, as far as it is complete. */
  completed(threadId: string, after: number, upTo: number): Promise<PortableItems>;
  thread(threadId: string): Promise<ThreadSummaryRow | null>;
}
