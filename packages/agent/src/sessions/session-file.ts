// One session on disk: a line of JSON for each record, appended in order. A process that is killed leaves at most its last line torn;
// such a line is skipped when the file is read, and the next one begins on a line of its own.
import { type FileHandle, open, readFile } from "node:fs/promises";
import { foldRecords, parseRecord, type SessionRecord, type StoredSession } from "./session-records.ts";

export class SessionFile {
  readonly #path: string;
  #handle: FileHandle | undefined;
  #waiting = "";
  #writing: Promise<void> | undefined;
  #problem: Error | undefined;
  #closed = false;

  constructor(path: string) {
    this.#path = path;
  }

  /** Undefined when there is no such session, or nothing of it can be read. */
  static async read(path: string): Promise<StoredSession | undefined> {
    const text = await readFile(path, "utf8").catch(() => undefined);
    if (text === undefined) return undefined;
    return foldRecords(text.split("\n").flatMap((line) => (line === "" ? [] : (parseRecord(line) ?? []))));
  }

  /** Written soon, in the order of the calls. */
  append(record: SessionRecord): void {
    if (this.#closed) return;
    this.#waiting += `${JSON.stringify(record)}\n`;
    this.#writing ??= this.#write();
  }

  /** Resolves when the system has everything that was appended. Rejects, once, when it did not take it. */
  async flush(): Promise<void> {
    while (this.#writing !== undefined) await this.#writing;
    const problem = this.#problem;
    this.#problem = undefined;
    if (problem !== undefined) throw problem;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.flush().catch(() => {});
    await this.#handle?.close();
    this.#handle = undefined;
  }

  async #write(): Promise<void> {
    try {
      this.#handle ??= await openAtLineStart(this.#path);
      while (this.#waiting !== "") {
        const text = this.#waiting;
        this.#waiting = "";
        await this.#handle.appendFile(text);
      }
    } catch (error) {
      this.#problem = error instanceof Error ? error : new Error(String(error));
    } finally {
      this.#writing = undefined;
    }
  }
}

async function openAtLineStart(path: string): Promise<FileHandle> {
  const handle = await open(path, "a+", 0o600);
  const { size } = await handle.stat();
  if (size === 0) return handle;
  const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, size - 1);
  if (buffer.toString() !== "\n") await handle.appendFile("\n");
  return handle;
}
