// Stops at the end of a run what workers share between their files: vitest ends a worker by a signal, so that a worker cannot stop it itself.
// vitest runs this in its own process.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { TestProject } from "vitest/node";
import { isRunning } from "./processes.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** A folder with a file for each process to stop. */
    readonly stopAtEnd: string;
  }
}

/** A process, and the folder that is deleted after it. */
export interface ToStop {
  readonly pid: number;
  readonly folder: string;
}

export default function setUp(project: TestProject): () => Promise<void> {
  const list = mkdtempSync(join(tmpdir(), "signalbox-stop-at-end-"));
  project.provide("stopAtEnd", list);
  return async () => {
    const all = readdirSync(list).map((name) => JSON.parse(readFileSync(join(list, name), "utf8")) as ToStop);
    await Promise.all(all.map(stop));
    rmSync(list, { recursive: true, force: true });
  };
}

/** A process whose exit code is never read looks as if it ran. */
const maxWaitMs = 10_000;

async function stop({ pid, folder }: ToStop): Promise<void> {
  if (isRunning(pid)) process.kill(pid, "SIGTERM");
  const end = Date.now() + maxWaitMs;
  while (isRunning(pid) && Date.now() < end) await setTimeout(20);
  rmSync(folder, { recursive: true, force: true });
}
