// Declares the log of a thread in the form in which it travels to another machine: it refers to nothing of the file that it comes from.
import type { BlobRef } from "./tables.ts";

/** One event. `payload` is its JSON text, byte for byte as it is logged; at each of `refs` (JSON Pointers) an object names a blob. */
export interface PortableEvent {
  readonly seq: number;
  readonly ts: number;
  readonly kind: string;
  readonly payload: string;
  readonly refs: readonly string[];
  readonly blobs: readonly PortableBlob[];
}

/** A long string of an event. `bytes` only where the register does not have it under this hash. */
export interface PortableBlob extends BlobRef {
  readonly bytes?: Uint8Array;
}

/** How far the log of a thread goes. */
export interface LogPosition {
  readonly thread_id: string;
  readonly cwd: string;
  readonly last_seq: number;
}
