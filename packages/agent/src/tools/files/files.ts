// Declares how tools read and write files: by the policy, through the client where it serves files, never over unseen changes.
import type { TextFormat } from "./text-format.ts";

/** A text as it was at one moment, with what it takes to write it back without losing a byte, and to notice a change. */
export interface TextFile extends TextFormat {
  readonly path: string;
  readonly text: string;
  /** Changes whenever the content does. */
  readonly version: string;
}

export interface FileFacts {
  readonly type: "file" | "directory" | "other";
  readonly size: number;
}

export interface DirectoryEntry {
  readonly name: string;
  readonly type: "file" | "directory" | "link" | "other";
  /** Bytes, of files. */
  readonly size: number | null;
}

/** Paths may be relative to the session's folder. Every method throws a ToolFailure where the model can do something about it. */
export interface Files {
  /** The absolute path that these words mean; `~` is the home folder. */
  absolute(path: string): string;
  /** Null when nothing is there. */
  facts(path: string): Promise<FileFacts | null>;
  /** The bytes on disk from the beginning, up to `limit`. */
  bytes(path: string, limit: number): Promise<Uint8Array>;
  /** The bytes on disk piece by piece, for files that are too big for memory. */
  stream(path: string, signal: AbortSignal): AsyncIterable<Uint8Array>;
  /** The whole text, as the client has it where it serves files. `known` is what `bytes` has just given, if that was the whole file. */
  text(path: string, signal: AbortSignal, known?: Uint8Array): Promise<TextFile>;
  /** Returns an editor's unsaved text for a path without a file on disk; null if there is none. */
  unsaved(path: string, signal: AbortSignal): Promise<TextFile | null>;
  /** Replaces `before`, or creates the file and its folders where that is null; all immediately. Refuses when `before` is not there any more. */
  write(path: string, text: string, before: TextFile | null, signal: AbortSignal): Promise<TextFile>;
  /** The real path. Throws a ToolFailure when the file may never be written: then no permission is asked for it. */
  writablePath(path: string): string;
  /** The real path of a file that may be deleted now. Refuses when `before` is not there any more. */
  removablePath(path: string, before: TextFile | null, signal: AbortSignal): Promise<string>;
  list(path: string): Promise<readonly DirectoryEntry[]>;
  /** The model has seen these lines of this file; without lines, all of it. */
  remember(file: TextFile, lines?: SeenLines): void;
  /** Whether the model has seen this file, and as it is now. */
  seen(file: TextFile): "never" | "in part" | "as it is" | "before it changed";
}

export interface SeenLines {
  readonly first: number;
  readonly last: number;
  /** True where the last one is the last of the file, and none was cut. */
  readonly reachesEnd: boolean;
}

/** Texts above this are not loaded whole: read ranges of them, and change them with a command. */
export const maxTextBytes = 10_000_000;
