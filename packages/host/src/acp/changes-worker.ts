// The worker's side of compare-in-worker.ts: describes the changes of the files that it was started with, and ends.
import { parentPort, workerData } from "node:worker_threads";
import { describeChanges, type EditedFile } from "./describe-changes.ts";

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- only windows have an origin
parentPort?.postMessage(await describeChanges(workerData as readonly EditedFile[]));
