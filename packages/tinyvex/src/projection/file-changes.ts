// Records which files completed tool calls changed, by the diffs in their content, so that listing them costs the same in a thread of any length.
// They count as the thread's changed files until its checkpoints have counted: those know what commands changed too.

import { isAbsolute, join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { isJsonObject, type ToolCallContent, type ToolCallRow } from "@signalbox/protocol";
import { compareLines } from "@signalbox/protocol/compare-lines";
import { buildInsert, buildUpdate } from "../database/table.ts";
import { fileChanges } from "../database/tables.ts";
import type { ThreadState } from "./thread-state.ts";

interface LineCounts {
  /** Null if the row has only the beginning of the texts. */
  readonly added: number | null;
  readonly removed: number | null;
}

const unknown: LineCounts = { added: null, removed: null };

export class FileChanges {
  readonly #insert;
  readonly #update;
  readonly #isKnown;

  constructor(database: DatabaseSync) {
    this.#insert = buildInsert(database, fileChanges, "OR IGNORE");
    this.#update = buildUpdate(database, fileChanges, ["added", "removed"], "thread_id = ? AND path = ? AND seq = ?");
    this.#isKnown = database.prepare("SELECT 1 FROM file_changes WHERE thread_id = ? AND path = ? LIMIT 1");
  }

  record(state: ThreadState, { thread_id, seq, content }: Pick<ToolCallRow, "thread_id" | "seq" | "content">): void {
    for (const [path, counts] of countsByPath(content, state.record.cwd)) {
      if (!state.record.counted_by_checkpoints && this.#isKnown.get(thread_id, path) === undefined) {
        state.record.files_changed++;
        state.listed = true;
      }
      if (this.#insert({ thread_id, seq, path, ...counts }) === null) this.#update(counts, thread_id, path, seq);
    }
  }
}

/** A call may change several places of a file, each with a diff of its own. */
function countsByPath(content: readonly ToolCallContent[], cwd: string): Map<string, LineCounts> {
  const found = new Map<string, LineCounts>();
  for (const entry of content) {
    const fields: Readonly<Record<string, unknown>> = entry;
    const { type, path, oldText, newText, _meta: meta } = fields;
    if (type !== "diff" || typeof path !== "string" || typeof newText !== "string") continue;
    const isWhole = !isJsonObject(meta) || meta["signalbox/blobs"] === undefined;
    const counts = isWhole ? compareLines(typeof oldText === "string" ? oldText : "", newText) : unknown;
    const full = isAbsolute(path) ? path : join(cwd, path);
    const known = found.get(full) ?? { added: 0, removed: 0 };
    found.set(full, { added: sum(known.added, counts.added), removed: sum(known.removed, counts.removed) });
  }
  return found;
}

function sum(a: number | null, b: number | null): number | null {
  return a === null || b === null ? null : a + b;
}
