// Declares what is shipped: the log of this machine, as its register gives it.
import type { LogPosition, PortableEvent, ThreadRow } from "@signalbox/protocol";

export interface LocalLog {
  positions(): Promise<readonly LogPosition[]>;
  /** The next events after `seq`: at least one where there is one, and about `maxLength` characters at most. */
  read(threadId: string, seq: number, maxLength: number): Promise<readonly PortableEvent[]>;
  readonly readBlob: (hash: string) => Promise<Uint8Array>;
  thread(threadId: string): Promise<ThreadRow | null>;
}
