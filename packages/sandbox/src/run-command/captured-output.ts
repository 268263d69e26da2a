// The output of a command: the first part in memory, the rest in a file that has no name any more, so that nothing is
// left on disk however this process ends.
import { randomUUID } from "node:crypto";
import { type FileHandle, open, unlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface CapturedOutput {
  /** The output, or its beginning where it was too long for memory (`truncated`). */
  readonly text: string;
  readonly truncated: boolean;
  readonly bytes: number;
  /** All of it, from memory and file. */
  readAll(): AsyncIterable<Uint8Array>;
}

const IN_MEMORY = 1024 * 1024;
const READ_SIZE = 64 * 1024;

export class OutputStore implements CapturedOutput, AsyncDisposable {
  readonly #memory: Buffer[] = [];
  #inMemory = 0;
  #inFile = 0;
  #file: FileHandle | undefined;
  #text: string | undefined;

  async append(chunk: Buffer): Promise<void> {
    const room = IN_MEMORY - this.#inMemory;
    if (room > 0) {
      const part = chunk.subarray(0, room);
      this.#memory.push(part);
      this.#inMemory += part.length;
    }
    if (chunk.length <= room) return;
    this.#file ??= await openNameless();
    const rest = chunk.subarray(Math.max(0, room));
    for (let written = 0; written < rest.length; ) {
      written += (await this.#file.write(rest, written, rest.length - written, this.#inFile + written)).bytesWritten;
    }
    this.#inFile += rest.length;
  }

  get bytes(): number {
    return this.#inMemory + this.#inFile;
  }

  get truncated(): boolean {
    return this.#inFile > 0;
  }

  get text(): string {
    // As a stream, so that a character cut in half at the end of memory is left out and not shown as an error.
    this.#text ??= new TextDecoder("utf-8").decode(Buffer.concat(this.#memory), { stream: this.truncated });
    return this.#text;
  }

  async *readAll(): AsyncGenerator<Uint8Array> {
    yield* this.#memory;
    for (let position = 0; position < this.#inFile; ) {
      if (this.#file === undefined) throw new Error("The output was disposed of before it was read");
      const buffer = Buffer.allocUnsafe(Math.min(READ_SIZE, this.#inFile - position));
      const { bytesRead } = await this.#file.read(buffer, 0, buffer.length, position);
      if (bytesRead === 0) return;
      position += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file?.close();
    this.#file = undefined;
  }
}

async function openNameless(): Promise<FileHandle> {
  const path = join(tmpdir(), `signalbox-output-${randomUUID()}`);
  const file = await open(path, "wx+", 0o600);
  await unlink(path);
  return file;
}
