// Keeps one session on disk: one line of JSON per record, appended in order and handed to the system before anything is shown. A killed
// process can leave its last line incomplete. Such a line is skipped when the file is read, and the next record starts on a new line.
import { closeSync, fstatSync, openSync, readSync, writeSync } from "node:fs";
import { readFile } from "node:fs/promises";
import {
  foldRecords,
  parseRecord,
  type SessionRecord,
  type StoredSession,
  truncateRecords,
} from "./session-records.ts";

export class SessionFile {
  readonly #path: string;
  #descriptor: number | undefined;
  #problem: Error | undefined;
  #closed = false;

  constructor(path: string) {
    this.#path = path;
  }

  /** As it is, or as it was before a prompt. Undefined when there is no such session or prompt, or nothing of it can be read. */
  static async read(path: string, beforePrompt?: string): Promise<StoredSession | undefined> {
    const text = await readFile(path, "utf8").catch(() => undefined);
    if (text === undefined) return undefined;
    const records = text.split("\n").flatMap((line) => (line === "" ? [] : (parseRecord(line) ?? [])));
    return foldRecords((beforePrompt === undefined ? records : truncateRecords(records, beforePrompt)) ?? []);
  }

  /** Never throws: a turn does not fail because its record does. */
  append(record: SessionRecord): void {
    if (this.#closed) return;
    try {
      // Not by Node's threads: a line takes some microseconds, and the way to a thread and back takes more.
      this.#descriptor ??= openAtLineStart(this.#path);
      writeSync(this.#descriptor, `${JSON.stringify(record)}\n`);
    } catch (error) {
      this.#problem = error instanceof Error ? error : new Error(String(error));
    }
  }

  /** Returns the error that kept records from being written since the last call. */
  takeProblem(): Error | undefined {
    const problem = this.#problem;
    this.#problem = undefined;
    return problem;
  }

  close(): void {
    this.#closed = true;
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }
}

function openAtLineStart(path: string): number {
  const descriptor = openSync(path, "a+", 0o600);
  const { size } = fstatSync(descriptor);
  if (size === 0) return descriptor;
  const last = Buffer.alloc(1);
  readSync(descriptor, last, 0, 1, size - 1);
  if (last.toString() !== "\n") writeSync(descriptor, "\n");
  return descriptor;
}
