// Declares what an import knows of a session before it reads it, and what it produces: entries for the register, each with its time.
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

/** One way of writing histories down: which files, what a file is about, and what its lines mean. */
export interface HistoryFormat<Head extends HistoryHead = HistoryHead> {
  readonly source: "claude" | "codex";
  /** The files of a home folder, or of where the environment says instead, oldest first. */
  files(home: string, env: NodeJS.ProcessEnv): Promise<readonly string[]>;
  /** Null for a file that holds no conversation of a person with an agent. */
  head(file: string, lines: AsyncIterable<JsonObject>): Promise<Head | null>;
  translator(head: Head): HistoryTranslator;
}

/**
 * Takes the lines of one session in order. What it says of the first lines does not depend on later ones, so that a
 * session that grew gives the same beginning.
 */
export interface HistoryTranslator {
  translate(line: JsonObject): readonly HistoryEntry[];
  /** How many entries `take` has given. */
  readonly count: number;
  /** There are no more lines for now: closes what is open. */
  end(): readonly HistoryEntry[];
}
