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
  readonly updated_at: number;
}

/** A message, tool call or terminal that is complete, as text to search in. */
export interface PortableItem {
  readonly seq: number;
  readonly item: "message" | "tool_call" | "terminal";
  readonly item_id: string;
  readonly kind: string;
  readonly status: string | null;
  readonly ts: number;
  readonly title: string;
  readonly body: string;
}

/** A tool call that ended, as it is counted. */
export interface PortableToolCall {
  readonly seq: number;
  readonly kind: string;
  readonly name: string | null;
  readonly status: string;
  readonly ended_at: number;
  /** Null where it is not known. */
  readonly ms: number | null;
  readonly waited_ms: number;
  /** From when to when questions about it were open: in order, apart from each other. */
  readonly waits: readonly (readonly [number, number])[];
  /** The files that it named among its locations, each once. */
  readonly paths: readonly string[];
}

/** A turn that ended, as it is counted. */
export interface PortableTurn {
  readonly turn_id: string;
  readonly status: string;
  readonly ended_at: number;
  readonly ms: number;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly total_tokens: number;
  readonly cost: number;
  readonly currency: string | null;
}

/** Items that a part of a thread's log completed, for search and statistics. */
export interface PortableItems {
  readonly items: readonly PortableItem[];
  readonly tool_calls: readonly PortableToolCall[];
  readonly turns: readonly PortableTurn[];
}
