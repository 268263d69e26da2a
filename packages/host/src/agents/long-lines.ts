// Reads long lines of an agent in a thread of its own: the agent chooses what is in them, and nothing else may wait for that.
import { Worker } from "node:worker_threads";
import { messageOf } from "@signalbox/protocol";
import { workerFile } from "@signalbox/sandbox/worker-file";
import type { ReadLine } from "@signalbox/tinyvex";

/** A shorter line is read in less time than it takes to hand it over. */
export const longLineBytes = 256 * 1024;
/** Long lines come in series; the thread ends after this long without one. */
const idleMs = 5000;
const maxMegabytes = 2048;

/** The result of reading a line; `lost` if the worker ran out of memory. */
export type ReadLongLine = ReadLine | { readonly type: "lost"; readonly problem: string };

export class LongLines {
  #worker: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;

  /** One at a time. The line's bytes are gone afterwards. */
  async read(line: Buffer): Promise<ReadLongLine> {
    clearTimeout(this.#idle);
    const worker = (this.#worker ??= this.#start());
    try {
      return await new Promise<ReadLongLine>((resolve, reject) => {
        worker.removeAllListeners();
        worker.once("message", resolve);
        worker.once("error", reject);
        worker.once("exit", () => reject(new Error("its thread ended")));
        const bytes = copyBytes(line);
        worker.postMessage(bytes, [bytes.buffer]);
      });
    } catch (error) {
      this.close();
      return { type: "lost", problem: `it could not be read: ${messageOf(error)}` };
    } finally {
      this.#idle = setTimeout(() => this.close(), idleMs);
      this.#idle.unref();
    }
  }

  close(): void {
    clearTimeout(this.#idle);
    const worker = this.#worker;
    this.#worker = undefined;
    worker?.removeAllListeners();
    // It may run out of memory in its last moment.
    worker?.on("error", () => {});
    void worker?.terminate();
  }

  #start(): Worker {
    const worker = new Worker(workerFile("line-worker", import.meta.url), {
      // Long texts do not lie in the young generation, and what it grows to stays.
      resourceLimits: { maxOldGenerationSizeMb: maxMegabytes, maxYoungGenerationSizeMb: 4 },
      // Warnings about Node's own state are not for the host's stderr.
      execArgv: ["--no-warnings"],
    });
    worker.unref();
    return worker;
  }
}

/** The bytes in a buffer that nothing else uses. */
function copyBytes(line: Buffer): Uint8Array<ArrayBuffer> {
  const { buffer, byteOffset, length } = line;
  const isWhole =
    buffer instanceof ArrayBuffer && byteOffset === 0 && (buffer.resizable || buffer.byteLength === length);
  return isWhole ? new Uint8Array(buffer, 0, length) : Uint8Array.from(line);
}
