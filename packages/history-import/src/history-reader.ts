// Reads histories in a worker thread, so that a file that takes long to read, by accident or on purpose, delays nothing else.
import { Worker } from "node:worker_threads";
import { messageOf } from "@signalbox/protocol";
import { workerFile } from "@signalbox/sandbox/worker-file";
import type { HistoryHead } from "./history.ts";
import type { ImportSource } from "./history-formats.ts";
import type { HistoryAnswer, HistoryRequest } from "./history-worker.ts";

/** Reading a portion of a real history takes far less time. */
const timeoutMs = 60_000;
const maxMegabytes = 2048;
/** The same limit as for sessions that are started here. */
const maxSessionIdLength = 500;
const maxFolderLength = 4096;

type Portion = Extract<HistoryAnswer, { type: "portion" }>["portion"];

export class HistoryReader {
  #worker: Worker | undefined;

  /** Returns null for a file without a conversation. Throws if the file cannot be read. */
  async readHead(source: ImportSource, file: string): Promise<HistoryHead | null> {
    const answer = await this.#ask({ type: "head", source, file });
    if (answer.type !== "head") throw new Error("it could not be read");
    const { head } = answer;
    if (head !== null && (head.sessionId.length > maxSessionIdLength || head.cwd.length > maxFolderLength))
      throw new Error("the name of its session or of its folder is too long");
    return head;
  }

  /** Yields the entries of a file after the first `known`. Only one file can be read at a time. */
  async *readPortions(opened: Omit<Extract<HistoryRequest, { type: "open" }>, "type">): AsyncGenerator<Portion> {
    let answer = await this.#ask({ type: "open", ...opened });
    while (answer.type === "portion") {
      yield answer.portion;
      if (answer.portion.end !== undefined) return;
      answer = await this.#ask({ type: "next" });
    }
  }

  /** Ends the worker; the next file starts another one. */
  async close(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    worker?.removeAllListeners();
    await worker?.terminate();
  }

  async #ask(request: HistoryRequest): Promise<Exclude<HistoryAnswer, { type: "failed" }>> {
    const worker = (this.#worker ??= this.#start());
    let timer: NodeJS.Timeout | undefined;
    let answer: HistoryAnswer;
    try {
      answer = await new Promise<HistoryAnswer>((resolve, reject) => {
        timer = setTimeout(() => reject(new Error(`it took longer than ${timeoutMs / 1000} s`)), timeoutMs);
        worker.removeAllListeners();
        worker.once("message", resolve);
        worker.once("error", reject);
        worker.once("messageerror", reject);
        worker.once("exit", () => reject(new Error("the thread that read it ended")));
        // oxlint-disable-next-line unicorn/require-post-message-target-origin -- only windows have an origin
        worker.postMessage(request);
      });
    } catch (error) {
      await this.close();
      throw new Error(`It could not be read: ${messageOf(error)}`, { cause: error });
    } finally {
      clearTimeout(timer);
    }
    if (answer.type === "failed") throw new Error(answer.reason);
    return answer;
  }

  #start(): Worker {
    const worker = new Worker(workerFile("history-worker", import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: maxMegabytes },
      // Node's own warnings do not belong on the host's stderr.
      execArgv: ["--no-warnings"],
    });
    worker.unref();
    return worker;
  }
}
