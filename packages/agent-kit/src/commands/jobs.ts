// Runs commands in the background: they are started, read and stopped by id, and all of them end with the session. A command that is awaited
// and takes too long goes on here.
import { ToolFailure } from "../tool-failure.ts";
import { type CommandEnd, type CommandRequest, endingLine, type RunningCommand, type StartCommand } from "./command.ts";
import { type NewOutput, OutputReader } from "./new-output.ts";
import { readOutput } from "./terminal-commands.ts";

interface JobsOptions {
  readonly start: StartCommand;
  /** `job` gives the ids job_1, job_2 … */
  readonly idPrefix: string;
  /** The tool that stops a job, for what the model reads. */
  readonly stopTool: string;
}

type JobRequest = Pick<CommandRequest, "command" | "cwd" | "network" | "escalation">;

interface StartedJob {
  readonly id: string;
  /** The terminal of the client that shows it; undefined elsewhere. */
  readonly terminalId?: string;
}

/** A job as it is now, with what it printed since it was last read. */
export interface JobReport extends NewOutput {
  readonly id: string;
  /** Undefined while it runs. */
  readonly end: Omit<CommandEnd, "output" | "isTruncated"> | undefined;
}

interface RunListeners {
  /** Not called for a command in a terminal. */
  readonly onOutput: (text: string) => void;
  readonly onTerminal: (terminalId: string) => void;
}

const maxJobs = 20;

export class Jobs {
  readonly #options: JobsOptions;
  readonly #jobs = new Map<string, Job>();
  #nextId = 1;

  constructor(options: JobsOptions) {
    this.#options = options;
  }

  /** Throws a `ToolFailure` when the command could not be started. Aborting the signal stops only the start, not the job. */
  async start(request: JobRequest, signal: AbortSignal): Promise<StartedJob> {
    if (!this.#hasRoom) {
      throw new ToolFailure(
        `${maxJobs} commands run in the background already. End one with ${this.#options.stopTool} first.`,
      );
    }
    const id = this.#newId();
    const job = new Job();
    this.#jobs.set(id, job);
    const terminalId = await job.start(this.#options.start, request, signal).catch((error: unknown) => {
      this.#jobs.delete(id);
      throw error;
    });
    return { id, ...(terminalId !== undefined && { terminalId }) };
  }

  /**
   * Runs a command and waits for its end. When the signal says that the time is up (a TimeoutError), the command goes on as a job; any other
   * abort ends it. Throws a `ToolFailure` when it could not be started.
   */
  async run(
    request: JobRequest,
    signal: AbortSignal,
    { onOutput, onTerminal }: RunListeners,
  ): Promise<{ readonly end: CommandEnd } | { readonly job: JobReport }> {
    const job = new Job(onOutput);
    const terminalId = await job.start(this.#options.start, request, signal);
    if (terminalId !== undefined) onTerminal(terminalId);
    await job.endedOrAborted(signal);
    if (job.end === undefined && isTimeUp(signal) && this.#hasRoom) {
      const id = this.#newId();
      this.#jobs.set(id, job);
      return { job: { id, ...(await job.read()) } };
    }
    await job.stop();
    return { end: await job.whole() };
  }

  /** Waits for the end of the job, at most `waitMs`, and reads what is new. */
  async read(id: string, waitMs: number, signal: AbortSignal): Promise<JobReport> {
    const job = this.#find(id);
    if (waitMs > 0) await job.endedOrAborted(signal, waitMs);
    return { id, ...(await job.read()) };
  }

  /** Ends the job with everything it started. `wasRunning` is false when it had ended before. */
  async stop(id: string): Promise<JobReport & { readonly wasRunning: boolean }> {
    const job = this.#find(id);
    const wasRunning = job.end === undefined;
    await job.stop();
    return { id, ...(await job.read()), wasRunning };
  }

  async close(): Promise<void> {
    await Promise.all([...this.#jobs.values()].map((job) => job.stop()));
  }

  /** The ids of the jobs that have not ended. */
  get running(): readonly string[] {
    return [...this.#jobs].flatMap(([id, { end }]) => (end === undefined ? [id] : []));
  }

  get #hasRoom(): boolean {
    return this.running.length < maxJobs;
  }

  #newId(): string {
    return `${this.#options.idPrefix}_${this.#nextId++}`;
  }

  #find(id: string): Job {
    const job = this.#jobs.get(id);
    if (job !== undefined) return job;
    const ids = [...this.#jobs.keys()];
    throw new ToolFailure(
      `There is no command ${id} in the background. ${ids.length === 0 ? "None was started." : `There are: ${ids.join(", ")}.`}`,
    );
  }
}

/** Whether a signal was aborted because a time limit was reached. */
export function isTimeUp({ aborted, reason }: AbortSignal): boolean {
  return aborted && reason instanceof Error && reason.name === "TimeoutError";
}

/** The first lines of what a model reads about a job: whether it runs, or how it ended and what the sandbox denied. */
export function jobStatus({ id, end }: Pick<JobReport, "id" | "end">): string {
  if (end === undefined) return `${id} is running.`;
  return [`${id} has ended. ${endingLine(end.ending)}`, ...end.denied].join("\n");
}

const maxUnread = 200_000;

/** Output that has not been read yet; of very much, the end. */
class UnreadOutput {
  #parts: string[] = [];
  #length = 0;
  #hasGap = false;

  add(text: string): void {
    this.#parts.push(text);
    this.#length += text.length;
    // Joined only now and then: a flood of small parts must not cost more than its characters.
    if (this.#length <= maxUnread * 2) return;
    this.#parts = [this.#parts.join("").slice(-maxUnread)];
    this.#length = maxUnread;
    this.#hasGap = true;
  }

  readNew(): NewOutput {
    const unread = { text: this.#parts.join(""), hasGap: this.#hasGap };
    this.#parts = [];
    this.#length = 0;
    this.#hasGap = false;
    return unread;
  }
}

class Job {
  end: JobReport["end"];
  readonly #stop = new AbortController();
  #running: RunningCommand | undefined;
  #ended: Promise<CommandEnd> | undefined;
  readonly #reader = new OutputReader();
  /** The whole output of a terminal that is released. */
  #lastOutput: { readonly output: string; readonly truncated: boolean } | undefined;
  /** Output of a command without a terminal since the last read. */
  readonly #unread = new UnreadOutput();

  readonly #onOutput: (text: string) => void;

  constructor(onOutput: (text: string) => void = () => {}) {
    this.#onOutput = onOutput;
  }

  async start(start: StartCommand, request: JobRequest, signal: AbortSignal): Promise<string | undefined> {
    const cancel = () => this.#stop.abort(signal.reason);
    signal.addEventListener("abort", cancel, { once: true });
    if (signal.aborted) cancel();
    try {
      const onOutput = (text: string) => {
        this.#unread.add(text);
        this.#onOutput(text);
      };
      this.#running = await start({ ...request, signal: this.#stop.signal, onOutput });
    } finally {
      signal.removeEventListener("abort", cancel);
    }
    this.#ended = this.#running.ended.then((whole) => {
      const { output, isTruncated, ...end } = whole;
      this.#lastOutput = { output, truncated: isTruncated };
      this.end = end;
      return whole;
    });
    return this.#running.terminal?.id;
  }

  async endedOrAborted(signal: AbortSignal, maxMs?: number): Promise<void> {
    const { promise: over, resolve } = Promise.withResolvers<void>();
    const stopWaiting = () => resolve();
    const timer = maxMs === undefined ? undefined : setTimeout(stopWaiting, maxMs);
    signal.addEventListener("abort", stopWaiting, { once: true });
    if (signal.aborted) stopWaiting();
    await Promise.race([this.#ended, over]);
    clearTimeout(timer);
    signal.removeEventListener("abort", stopWaiting);
  }

  async stop(): Promise<void> {
    if (this.end === undefined) this.#stop.abort();
    await this.#ended;
  }

  /** Everything about a command that was started and has ended. */
  async whole(): Promise<CommandEnd> {
    if (this.#ended === undefined) throw new Error("The command was not started.");
    return await this.#ended;
  }

  async read(): Promise<Omit<JobReport, "id">> {
    const terminal = this.#running?.terminal;
    if (terminal === undefined) return { end: this.end, ...this.#unread.readNew() };
    // The end is looked at first: what is read after it is all that there is.
    const { end } = this;
    const output = end === undefined ? await readOutput(terminal) : this.#lastOutput;
    return { end, ...this.#reader.next(output ?? { output: "", truncated: false }) };
  }
}
