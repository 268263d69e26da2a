// Runs work on a hostile file in a thread with limits on memory and time, so that nothing else waits for it.
import { Worker } from "node:worker_threads";
import { workerFile } from "@signalbox/sandbox/worker-file";
import { messageOf } from "@signalbox/tool-calls";
import { ToolFailure } from "../tool-failure.ts";

interface WorkerTask {
  /** The file in this folder, without its ending; the built program has it beside its own file. */
  readonly worker: "pdf-worker" | "image-worker";
  readonly data: unknown;
  /** Describes the file in error messages: "a.pdf is a PDF document". */
  readonly subject: string;
}

const maxMegabytes = 512;
/** Decoded images are not part of the limit above: by so much the whole process may grow meanwhile. */
const maxGrowthBytes = 1_000_000_000;
const lookMs = 50;
const timeoutMs = 30_000;

/** Returns the worker's answer. Throws a `ToolFailure` if it fails or takes too long; rejects when the signal aborts. */
export async function runInWorker(task: WorkerTask, signal: AbortSignal): Promise<unknown> {
  signal.throwIfAborted();
  const { subject } = task;
  const worker = new Worker(workerFile(task.worker, import.meta.url), {
    workerData: task.data,
    resourceLimits: { maxOldGenerationSizeMb: maxMegabytes },
    // Warnings about the file are not for the agent's stderr.
    execArgv: ["--no-warnings"],
    stdout: true,
    stderr: true,
  });
  const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  const before = process.memoryUsage.rss();
  let watch: NodeJS.Timeout | undefined;
  try {
    return await new Promise((resolve, reject) => {
      worker.once("message", resolve);
      worker.once("error", (error) => reject(new ToolFailure(`${subject} that cannot be read: ${messageOf(error)}`)));
      watch = setInterval(() => {
        if (process.memoryUsage.rss() - before < maxGrowthBytes) return;
        reject(new ToolFailure(`${subject} that takes too much memory to read.`));
      }, lookMs);
      worker.once("exit", () => reject(new ToolFailure(`${subject} that cannot be read.`)));
      limit.addEventListener("abort", () =>
        reject(new ToolFailure(`${subject} that takes longer than ${timeoutMs / 1000} seconds to read.`)),
      );
    });
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    clearInterval(watch);
    await worker.terminate();
  }
}
