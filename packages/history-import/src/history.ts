// Declares the head of a session, which an import reads first, and the entries for the register that it produces.
import type { JsonObject } from "@signalbox/protocol";
import type { Entry } from "@signalbox/tinyvex";

export interface HistoryHead {
  readonly sessionId: string;
  readonly cwd: string;
  readonly title: string;
  readonly startedAt: number;
}

/** An entry with the time at which it happened. */
export type HistoryEntry = Entry & { readonly at: number };

/** One format of histories: which files it has, what a file is about, and what its lines mean. */
export interface HistoryFormat<Head extends HistoryHead = HistoryHead> {
  readonly source: "claude" | "codex";
  /** Lists the files below the home folder, or where the environment says instead, oldest first. */
  listFiles(home: string, env: NodeJS.ProcessEnv): Promise<readonly string[]>;
  /** Returns null for a file without a conversation between a person and an agent. */
  readHead(file: string, lines: AsyncIterable<JsonObject>): Promise<Head | null>;
  createTranslator(head: Head): HistoryTranslator;
}

/**
 * Accepts the lines of one session in order. The entries of a line do not depend on later lines, so that a session that has grown begins
 * with the same entries.
 */
export interface HistoryTranslator {
  translate(line: JsonObject): readonly HistoryEntry[];
  /** How many entries `translate` has returned so far. */
  readonly count: number;
  /** Returns the entries that end what is still open after the last line. */
  end(): readonly HistoryEntry[];
}
