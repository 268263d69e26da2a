// Describes changes in a thread of its own where there is much to compare: an agent chooses the texts, and nothing else may wait for them.
import { Worker } from "node:worker_threads";
import { workerFile } from "@signalbox/sandbox/worker-file";
import {
  type DescribedChanges,
  describeChanges,
  type EditedFile,
  sumLengths,
  withoutComparison,
} from "./describe-changes.ts";

/** A smaller comparison takes less time than a worker's start. */
const smallLength = 64 * 1024;
const smallEdits = 50;
/** No texts that are compared at all need so long; what an agent makes up might. */
const timeoutMs = 20_000;
const maxMegabytes = 1024;

export async function compareFiles(files: readonly EditedFile[]): Promise<DescribedChanges> {
  const edits = files.reduce((sum, file) => sum + file.edits.length, 0);
  if (edits <= smallEdits && sumLengths(files) <= smallLength) return await describeChanges(files);
  return (await inWorker(files)) ?? withoutComparison(files);
}

/** Undefined when it took too long or too much memory. */
async function inWorker(files: readonly EditedFile[]): Promise<DescribedChanges | undefined> {
  const worker = new Worker(workerFile("changes-worker", import.meta.url), {
    workerData: files,
    resourceLimits: { maxOldGenerationSizeMb: maxMegabytes },
    // Warnings about Node's own state are not for the host's stderr.
    execArgv: ["--no-warnings"],
  });
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise((resolve) => {
      timer = setTimeout(() => resolve(undefined), timeoutMs);
      worker.once("message", resolve);
      worker.once("error", () => resolve(undefined));
      worker.once("exit", () => resolve(undefined));
    });
  } finally {
    clearTimeout(timer);
    await worker.terminate();
  }
}
