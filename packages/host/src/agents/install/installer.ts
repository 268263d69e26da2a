// Installs agents for a person who asked for it: one at a time for each agent, with progress, until it is done, cancelled, or the host stops.
import { guard } from "@signalbox/base";
import { HostError } from "../../data/host-error.ts";
import { TextTail } from "../agent-exit.ts";
import type { PidLedger } from "../pid-ledger.ts";
import type { AgentDefinition } from "../registry.ts";
import { explainFailure, installAgent } from "./install-agent.ts";

interface InstallProgress {
  /** The last line that was printed. */
  readonly message: string;
  /** The end of what was printed. */
  readonly output: string;
  /** Bytes of a download. */
  readonly done?: number;
  readonly total?: number;
}

interface InstallerOptions {
  readonly ledger?: PidLedger | undefined;
  /** Variables with keys, which no installation gets to see. */
  readonly secrets: () => readonly string[];
}

/** So that a chatty program does not flood the screens. */
const reportMs = 150;

export class Installer {
  readonly #options: InstallerOptions;
  readonly #running = new Map<string, { readonly controller: AbortController; readonly ended: Promise<void> }>();

  constructor(options: InstallerOptions) {
    this.#options = options;
  }

  isRunning(agentId: string): boolean {
    return this.#running.has(agentId);
  }

  /** Throws a HostError that says what failed. */
  async install(agent: AgentDefinition, onProgress: (progress: InstallProgress) => void): Promise<void> {
    const { id, label, plan, installFolder } = agent;
    if (plan === undefined || installFolder === undefined)
      throw new HostError(
        "bad_request",
        `Signalbox does not know how to install ${label}. ${agent.install ?? ""}`.trim(),
      );
    if (this.#running.has(id)) throw new HostError("conflict", `${label} is being installed already.`);
    const controller = new AbortController();
    const { signal } = controller;
    const reports = new Reports(onProgress);
    const { secrets, ledger } = this.#options;
    const work = installAgent(plan, {
      folder: installFolder,
      ledger,
      secrets: secrets(),
      signal,
      onOutput: (text) => reports.add(text),
      onBytes: (done, total) => reports.count(done, total),
    }).finally(() => {
      reports.stop();
      this.#running.delete(id);
    });
    this.#running.set(id, { controller, ended: work.catch(() => {}) });
    try {
      await work;
    } catch (error) {
      if (signal.aborted) throw new HostError("conflict", `The installation of ${label} was cancelled.`);
      throw new HostError("unavailable", explainFailure(label, error), { cause: error });
    }
  }

  /** Ends it with everything it started. Resolves when nothing of it is left. */
  async cancel(agentId: string): Promise<void> {
    const running = this.#running.get(agentId);
    running?.controller.abort();
    await running?.ended;
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#running.keys()].map((id) => this.cancel(id)));
  }
}

class Reports {
  readonly #onProgress: (progress: InstallProgress) => void;
  readonly #output = new TextTail();
  #bytes: { readonly done: number; readonly total?: number } | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(onProgress: (progress: InstallProgress) => void) {
    this.#onProgress = onProgress;
    this.#report();
  }

  add(text: string): void {
    this.#output.add(text);
    this.#reportSoon();
  }

  count(done: number, total: number | undefined): void {
    this.#bytes = total === undefined ? { done } : { done, total };
    this.#reportSoon();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #reportSoon(): void {
    const report = () => {
      this.#timer = undefined;
      this.#report();
    };
    // Progress that cannot be reported does not stop the installation.
    this.#timer ??= setTimeout(
      guard(() => {}, report),
      reportMs,
    );
  }

  #report(): void {
    const output = this.#output.text;
    this.#onProgress({ message: output.split("\n").at(-1) || "Starting …", output, ...this.#bytes });
  }
}
