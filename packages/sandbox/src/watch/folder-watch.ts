// Talks to the helper that watches a folder (`watch`): which entries changed since the last question. Only on Linux.
import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { spawnWithPipes } from "../supervise/spawn-with-pipes.ts";

/** Paths are relative to the folder, as bytes: one character each (latin1), because names need not be text. */
interface WatchedChanges {
  /** Entries that were made, changed or removed. */
  readonly changed: readonly string[];
  /** Folders that are new. They are not watched before `addFolder`. */
  readonly newFolders: readonly string[];
  /** Folders that were removed or renamed, with everything that was in them. */
  readonly goneFolders: readonly string[];
  /** False: something may be missing, and only a look at all files says what. */
  readonly isComplete: boolean;
}

export class FolderWatch {
  readonly #process: ChildProcessWithoutNullStreams;
  readonly #waiting: {
    readonly resolve: (records: readonly string[]) => void;
    readonly reject: (error: Error) => void;
  }[] = [];
  readonly #pieces: Buffer[] = [];
  #records: string[] = [];
  #isGone = false;

  constructor(helper: string, folder: string) {
    this.#process = spawnWithPipes(helper, ["watch", folder], { cwd: "/", env: {}, stdio: "pipe" });
    this.#process.stdout.on("data", (bytes: Buffer) => this.#read(bytes));
    this.#process.stderr.resume();
    this.#process.stdin.on("error", () => {}); // its exit says more
    this.#process.on("error", () => this.#end());
    this.#process.on("exit", () => this.#end());
    for (const stream of [this.#process.stdin, this.#process.stderr]) keepAlive(stream, false);
    this.#keepAlive(false);
  }

  /** Watches the folder and all below it, but none of the excluded and no `.git`. False when there are too many for the system. */
  async watchAll(excluded: readonly string[]): Promise<boolean> {
    for (const path of excluded) this.#send("x", path);
    this.#send("w", "");
    const { isComplete } = await this.drain();
    return isComplete;
  }

  /** Watches a new folder; the next `drain` names everything that is in it. */
  addFolder(path: string): void {
    this.#send("a", path);
  }

  /** Everything that changed before this call and after the last one. Rejects when the helper is gone. */
  async drain(): Promise<WatchedChanges> {
    const answer = new Promise<readonly string[]>((resolve, reject) => {
      if (this.#isGone) reject(new Error("the helper that watches the folder ended"));
      else this.#waiting.push({ resolve, reject });
    });
    this.#keepAlive(true);
    this.#send("d", "");
    const records = await answer.finally(() => this.#keepAlive(this.#waiting.length > 0));
    const of = (letter: string) =>
      records.filter((record) => record.startsWith(letter)).map((record) => record.slice(1));
    return {
      changed: of("f"),
      newFolders: of("n"),
      goneFolders: of("g"),
      isComplete: !records.includes("o") && !records.includes("w"),
    };
  }

  stop(): void {
    this.#process.stdin.end();
    this.#process.kill();
  }

  #send(letter: string, path: string): void {
    if (!this.#isGone) this.#process.stdin.write(Buffer.from(`${letter}${path}\0`, "latin1"));
  }

  #read(bytes: Buffer): void {
    this.#pieces.push(bytes);
    if (!bytes.includes(0)) return;
    const text = Buffer.concat(this.#pieces.splice(0)).toString("latin1");
    const records = text.split("\0");
    const rest = records.pop() ?? "";
    if (rest !== "") this.#pieces.push(Buffer.from(rest, "latin1"));
    for (const record of records) {
      if (record === ".") this.#waiting.shift()?.resolve(this.#records.splice(0));
      else this.#records.push(record);
    }
  }

  /** Only a question that waits for its answer keeps this process alive. */
  #keepAlive(isNeeded: boolean): void {
    keepAlive(this.#process, isNeeded);
    keepAlive(this.#process.stdout, isNeeded);
  }

  #end(): void {
    this.#isGone = true;
    for (const { reject } of this.#waiting.splice(0)) reject(new Error("the helper that watches the folder ended"));
  }
}

function keepAlive(handle: object, isNeeded: boolean): void {
  const change: unknown = isNeeded ? "ref" in handle && handle.ref : "unref" in handle && handle.unref;
  if (typeof change === "function") change.call(handle);
}
