// Ranks hits that were found together: phrases as typed, then words in a title or command, then whole words before beginnings of words, then
// the newest. It reads only titles and the beginning of messages: the index cannot rank without reading every match.
import type { DatabaseSync } from "node:sqlite";
import type { SearchTerm } from "@signalbox/protocol";
import { integer, type Row, text } from "../database/row.ts";

/** So much of a message is looked at. */
const rankedLength = 4000;

interface Candidate {
  readonly row: Row;
  /** False when only the beginning of the last word was found. */
  readonly isAsTyped: boolean;
}

interface RankedHit {
  readonly row: Row;
  readonly rank: number;
  readonly ts: number;
  readonly seq: number;
}

export class SearchRank {
  readonly #thread;
  readonly #message;
  readonly #toolCall;
  readonly #terminal;

  constructor(database: DatabaseSync) {
    this.#thread = database.prepare("SELECT coalesce(title, '') AS title, '' AS body FROM threads WHERE id = ?");
    this.#message = database.prepare(
      `SELECT '' AS title, substr(text, 1, ${rankedLength}) AS body FROM messages WHERE thread_id = ? AND seq = ?`,
    );
    this.#toolCall = database.prepare(
      "SELECT title || ' ' || coalesce(name, '') AS title, '' AS body FROM tool_calls WHERE thread_id = ? AND seq = ?",
    );
    this.#terminal = database.prepare(
      "SELECT command AS title, '' AS body FROM terminals WHERE thread_id = ? AND seq = ?",
    );
  }

  /** One row for an item, however many slices of it were found; the best first. */
  order(candidates: readonly Candidate[], terms: readonly SearchTerm[]): readonly Row[] {
    const words = terms.flatMap(({ words: phrase }) => phrase);
    const each = words.map((word) => wordPattern(word));
    const together = words.length > 1 ? sideBySidePattern(words) : null;
    const best = new Map<string, RankedHit>();
    for (const { row, isAsTyped } of candidates) {
      const { title, body } = this.#beginning(row);
      const isTogether = together !== null && (together.test(title) || together.test(body));
      const isInTitle = title !== "" && each.every((pattern) => pattern.test(title));
      const rank = (isTogether ? 4 : 0) + (isInTitle ? 2 : 0) + (isAsTyped ? 1 : 0);
      const seq = integer(row, "seq");
      const key = `${text(row, "thread_id")} ${seq} ${text(row, "item_id")}`;
      const known = best.get(key);
      if (known === undefined || known.rank < rank) best.set(key, { row, rank, ts: integer(row, "ts"), seq });
    }
    const ranked = [...best.values()].toSorted((a, b) => b.rank - a.rank || b.ts - a.ts || b.seq - a.seq);
    return ranked.map(({ row }) => row);
  }

  #beginning(row: Row): { readonly title: string; readonly body: string } {
    const threadId = text(row, "thread_id");
    const seq = integer(row, "seq");
    const type = text(row, "item");
    const table = type === "message" ? this.#message : type === "tool_call" ? this.#toolCall : this.#terminal;
    const found = type === "thread" ? this.#thread.get(threadId) : table.get(threadId, seq);
    return found === undefined ? { title: "", body: "" } : { title: text(found, "title"), body: text(found, "body") };
  }
}

// Words hold letters, digits and marks only: nothing in them means anything to a pattern.
function wordPattern(word: string): RegExp {
  return new RegExp(`(?<![\\p{L}\\p{N}])${word}`, "iu");
}

function sideBySidePattern(words: readonly string[]): RegExp {
  return new RegExp(`(?<![\\p{L}\\p{N}])${words.join("[^\\p{L}\\p{N}]+")}`, "iu");
}
