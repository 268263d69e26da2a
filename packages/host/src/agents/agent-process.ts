// One agent as a child process in a group of its own: its lines, the tail of its stderr, its end, and the ladder that stops it.
import { type ChildProcessByStdio, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { messageOf } from "../data/host-error.ts";
import { LineSplitter } from "./line-splitter.ts";
import type { AgentCommand } from "./registry.ts";

/** Room for any honest message, such as a big file in one line. */
const maxLineBytes = 256 * 1024 * 1024;
const stderrTailCharacters = 4000;
/** stdin's end, then TERM, then KILL: each step this long after the one before. */
const stepMilliseconds = 1000;

/** How the process ended. */
export interface AgentExit {
  /** For a person: "exited with code 1", "was ended by SIGKILL", "could not be started: …". */
  readonly what: string;
  readonly stderr: string;
}

export class AgentProcess {
  /** Resolves once, when the process is gone and everything it wrote was read. */
  readonly exited: Promise<AgentExit>;
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
  #stderr = "";

  constructor({ command, args, env }: AgentCommand, cwd: string, onLine: (line: string) => void) {
    const child = spawn(command, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ["pipe", "pipe", "pipe"],
      detached: true,
    });
    this.#child = child;
    // A dead agent's stdin fails; `exited` tells why better than EPIPE does.
    child.stdin.on("error", () => {});
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-stderrTailCharacters);
    });
    const lines = new LineSplitter(maxLineBytes, onLine);
    child.stdout.on("data", (chunk: Buffer) => {
      try {
        lines.push(chunk);
      } catch (error) {
        this.#stderr += `\n[Signalbox stopped the agent: it sent ${messageOf(error)}]`;
        this.#signal("SIGKILL");
      }
    });
    child.stdout.on("end", () => lines.end());
    this.exited = new Promise((resolve) => {
      child.on("error", (error) => {
        if (child.pid === undefined) resolve(this.#exit(`could not be started: ${error.message}`));
      });
      child.on("close", (code, signal) => {
        // What the agent started and left behind is in its group.
        this.#signal("SIGKILL");
        resolve(this.#exit(signal === null ? `exited with code ${code}` : `was ended by ${signal}`));
      });
    });
  }

  send(line: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#child.stdin.write(`${line}\n`, (error) => (error ? reject(error) : resolve()));
    });
  }

  /** stdin's end, TERM, KILL, until it is gone. */
  async stop(): Promise<void> {
    this.#child.stdin.end();
    const steps = (["SIGTERM", "SIGKILL"] as const).map((signal, index) =>
      setTimeout(() => this.#signal(signal), (index + 1) * stepMilliseconds),
    );
    await this.exited;
    for (const step of steps) clearTimeout(step);
  }

  #exit(what: string): AgentExit {
    return { what, stderr: this.#stderr.trim() };
  }

  #signal(signal: NodeJS.Signals): void {
    const { pid } = this.#child;
    if (pid === undefined) return;
    try {
      process.kill(-pid, signal);
    } catch {
      // The group is empty already.
    }
  }
}
