// Commands that run on in the background: started, looked at, ended; all of them end with the session.
import type { CommandEnd } from "./command.ts";

export interface JobStart {
  readonly command: string;
  readonly cwd: string;
  readonly network: boolean;
}

export interface JobLook {
  readonly command: string;
  /** What came since the last look. */
  readonly output: string;
  /** Null while it runs. */
  readonly end: CommandEnd["outcome"] | null;
}

export interface Jobs {
  /** Returns the job's id. */
  start(request: JobStart): string;
  /** Looks now, or as soon as the job has ended or `wait` milliseconds are over. Undefined for an unknown id. */
  look(id: string, wait: number, signal: AbortSignal): Promise<JobLook | undefined>;
  /** Ends it with everything it started. Undefined for an unknown id. */
  kill(id: string): Promise<JobLook | undefined>;
  readonly ids: readonly string[];
}
