// How tools reach files: always by the policy, through the client where it serves files, and never over what changed unseen.

/** A file as text that can be written back without losing a byte. */
export interface TextFile {
  /** The path with its links followed. */
  readonly path: string;
  readonly text: string;
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

/** Every method throws a ToolFailure where the model can do something about it. Paths may be relative to the session's folder. */
export interface Files {
  /** The absolute path that these words mean; `~` is the home folder. */
  absolute(path: string): string;
  /** Null when nothing is there. */
  facts(path: string): Promise<FileFacts | null>;
  /** The first bytes of a file on disk. */
  head(path: string, bytes: number): Promise<Uint8Array>;
  /** The whole file on disk, up to `limit` bytes. */
  bytes(path: string, limit: number): Promise<Uint8Array>;
  /** The whole text, as the client has it where it serves files. Remembered as read. */
  text(path: string, signal: AbortSignal): Promise<TextFile>;
  /** Replaces a file, or creates it with its folders. Refuses one that was not read, or that changed since. */
  write(path: string, text: string, signal: AbortSignal): Promise<TextFile>;
  list(path: string): Promise<readonly DirectoryEntry[]>;
}

/** The files of the client, each way only where it advertised it. */
export interface ClientFiles {
  readonly readTextFile?: (path: string, signal: AbortSignal) => Promise<string>;
  readonly writeTextFile?: (path: string, text: string, signal: AbortSignal) => Promise<void>;
}
