// Commands that run on in the background: started, looked at, ended; all of them end with the session.
import { ToolFailure } from "../tool-failure.ts";
import type { CommandEnd, RunCommand } from "./command.ts";

export interface JobStart {
  readonly command: string;
  readonly cwd: string;
  readonly network: boolean;
}

export interface JobLook {
  readonly id: string;
  readonly command: string;
  /** What came since the last look; of very much, the end. */
  readonly output: string;
  /** How many characters before that are gone. */
  readonly dropped: number;
  /** Null while it runs. */
  readonly end: JobEnd | null;
}

export type JobEnd = Omit<CommandEnd, "output">;

const mostJobs = 20;
const mostKept = 200_000;

export class Jobs {
  readonly #run: RunCommand;
  readonly #jobs = new Map<string, Job>();
  #next = 1;

  constructor(run: RunCommand) {
    this.#run = run;
  }

  /** Returns the job's id. */
  start(request: JobStart): string {
    const running = [...this.#jobs.values()].filter(({ end }) => end === null);
    if (running.length >= mostJobs) {
      throw new ToolFailure(`${mostJobs} background jobs run already. End one with bash_kill first.`);
    }
    const id = `job_${this.#next++}`;
    this.#jobs.set(id, new Job(id, request, this.#run));
    return id;
  }

  /** Looks as soon as the job has ended or `wait` milliseconds are over. */
  async look(id: string, wait: number, signal: AbortSignal): Promise<JobLook> {
    const job = this.#find(id);
    await job.endedWithin(wait, signal);
    return job.take();
  }

  /** Ends it with everything it started. */
  async kill(id: string): Promise<JobLook> {
    const job = this.#find(id);
    await job.stop();
    return job.take();
  }

  async close(): Promise<void> {
    await Promise.all([...this.#jobs.values()].map((job) => job.stop()));
  }

  #find(id: string): Job {
    const job = this.#jobs.get(id);
    if (job !== undefined) return job;
    const ids = [...this.#jobs.keys()];
    throw new ToolFailure(
      `There is no background job ${id}. ${ids.length === 0 ? "None was started." : `There are: ${ids.join(", ")}.`}`,
    );
  }
}

class Job {
  readonly #id: string;
  readonly #command: string;
  readonly #stop = new AbortController();
  readonly #ended: Promise<unknown>;
  #unseen: string[] = [];
  #length = 0;
  #dropped = 0;
  #printed = false;
  end: JobEnd | null = null;

  constructor(id: string, { command, cwd, network }: JobStart, run: RunCommand) {
    this.#id = id;
    this.#command = command;
    const onOutput = (text: string) => this.#keep(text);
    const running = run({ command, cwd, network, signal: this.#stop.signal, onOutput, onTerminal: () => {} });
    this.#ended = running.then(
      ({ output, ...end }) => {
        // A job in the client's terminal prints there and tells only at its end what that was.
        if (!this.#printed) this.#keep(output);
        this.end = end;
      },
      (error: unknown) => {
        this.end = { outcome: { type: "refused", words: String(error) }, denied: [], networkDenied: false };
      },
    );
  }

  async endedWithin(wait: number, signal: AbortSignal): Promise<void> {
    const { promise: over, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, wait);
    signal.addEventListener("abort", () => resolve(), { once: true });
    if (signal.aborted) resolve();
    await Promise.race([this.#ended, over]);
    clearTimeout(timer);
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#ended;
  }

  take(): JobLook {
    const look = { id: this.#id, command: this.#command, output: this.#unseen.join(""), dropped: this.#dropped };
    this.#unseen = [];
    this.#length = 0;
    this.#dropped = 0;
    return { ...look, end: this.end };
  }

  #keep(text: string): void {
    this.#printed = true;
    this.#unseen.push(text);
    this.#length += text.length;
    // Joined only now and then: a flood of small pieces must not cost more than its letters.
    if (this.#length <= mostKept * 2) return;
    const whole = this.#unseen.join("");
    this.#unseen = [whole.slice(-mostKept)];
    this.#dropped += whole.length - mostKept;
    this.#length = mostKept;
  }
}
