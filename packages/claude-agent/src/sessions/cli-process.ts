// Starts the process of Claude Code for the SDK, keeps its stderr, and makes sure that it ends.
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import type { SdkSpawnOptions } from "../sdk/sdk.ts";

const maxTailLength = 4000;
/** Between the end of its input and a signal, and between that and the last one. */
const readyTimeoutMs = 1500;

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

export class CliProcess {
  #child: Child | null = null;
  #stderr = "";

  /** For the SDK, which starts it once. In our process group: it ends with the group. */
  spawn({ command, args, cwd, env }: SdkSpawnOptions): Child {
    const child = spawn(command, args, { cwd, env, stdio: ["pipe", "pipe", "pipe"] });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-maxTailLength);
    });
    // Its end is told by `exit`; writing to what has ended is no news.
    child.stdin.on("error", () => {});
    this.#child = child;
    return child;
  }

  get stderr(): string {
    return this.#stderr;
  }

  /** In words; null while it runs, and where it never started. */
  get exit(): string | null {
    const { exitCode = null, signalCode = null } = this.#child ?? {};
    if (signalCode !== null) return `signal ${signalCode}`;
    return exitCode === null ? null : `exit code ${exitCode}`;
  }

  /** Its input is ended; if that does not end it, signals do. */
  async stop(): Promise<void> {
    const child = this.#child;
    if (child === null || child.pid === undefined) return;
    child.stdin.end();
    for (const signal of ["SIGTERM", "SIGKILL"] as const) {
      if (await hasExited(child)) return;
      child.kill(signal);
    }
    await hasExited(child);
  }

  killNow(): void {
    this.#child?.kill("SIGKILL");
  }
}

async function hasExited(child: Child): Promise<boolean> {
  if (child.exitCode !== null || child.signalCode !== null) return true;
  const limit = AbortSignal.timeout(readyTimeoutMs);
  try {
    await once(child, "exit", { signal: limit });
    return true;
  } catch {
    return false;
  }
}
