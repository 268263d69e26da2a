// The product as a stranger starts it: the built program as a process of its own, on a data folder of its own.
import { type ChildProcess, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { WarmCommand } from "./warm-program.ts";

export const root = join(import.meta.dirname, "../..");
export const program = join(root, "packages/cli/dist/main.js");

export interface Ready {
  readonly url: string;
  readonly port: number;
  readonly token: string;
  readonly pid: number;
  readonly data_dir: string;
}

export class HostProcess implements AsyncDisposable {
  readonly ready: Ready;
  readonly #child: ChildProcess;
  readonly #stderr: () => string;

  private constructor(child: ChildProcess, ready: Ready, stderr: () => string) {
    this.#child = child;
    this.#stderr = stderr;
    this.ready = ready;
  }

  /** Waits for the ready line. Throws what the program said when there is none. */
  static async start(
    dataFolder: string,
    flags: readonly string[] = ["--port", "0"],
    env: NodeJS.ProcessEnv = {},
  ): Promise<HostProcess> {
    const args = [
      "--max-semi-space-size=4",
      program,
      "serve",
      "--no-open",
      "--json",
      "--data-dir",
      dataFolder,
      ...flags,
    ];
    // Its stdin is open as long as this process runs: a run that is interrupted leaves no host behind.
    const child = spawn(process.execPath, args, {
      stdio: ["pipe", "pipe", "pipe"],
      env: { ...process.env, SIGNALBOX_STOP_WITH_STDIN: "1", ...env },
    });
    let stderr = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    for await (const line of createInterface({ input: child.stdout })) {
      return new HostProcess(child, JSON.parse(line) as Ready, () => stderr);
    }
    throw new Error(`the host printed no ready line: ${stderr}`);
  }

  /** What it said beside the ready line. */
  get stderr(): string {
    return this.#stderr();
  }

  async stop(signal: NodeJS.Signals = "SIGTERM"): Promise<number | null> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      this.#child.kill(signal);
      await once(this.#child, "exit");
    }
    return this.#child.exitCode;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }
}

/** How a command ended, and what it printed. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs a command of the built program. Without variables for its environment it runs in a process that earlier commands of the file have warmed up;
 * what is about the process itself (signals, a pipe, its end) needs one of its own.
 */
export async function runProgram(args: readonly string[], env?: NodeJS.ProcessEnv): Promise<Ended> {
  if (env === undefined && !isWarmBusy) return await runWarm({ args, stdin: "" });
  const child = spawn(process.execPath, [program, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...env },
  });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const [code] = (await once(child, "close")) as [number | null];
  return { code, stdout, stderr };
}

let warm: ChildProcess | undefined;
let isWarmBusy = false;

/** In the process that is warm, which must not be busy. */
export async function runWarm(command: WarmCommand): Promise<Ended> {
  isWarmBusy = true;
  try {
    warm ??= fork(join(import.meta.dirname, "warm-program.ts"), [program], { execArgv: ["--no-warnings"] });
    const answer = once(warm, "message");
    warm.send(command);
    const [ended] = (await answer) as [Ended];
    return ended;
  } finally {
    isWarmBusy = false;
  }
}

/** A folder that is gone when the test is over. */
export class TemporaryFolder implements Disposable {
  readonly path = mkdtempSync(join(tmpdir(), "signalbox-test-"));

  in(name: string): string {
    return join(this.path, name);
  }

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}
