// Limits how much of the machine one command may use. The defaults are enough for a build and leave enough for everything else.
import { availableParallelism, totalmem } from "node:os";

export interface Limits {
  /** Bytes that all processes of the command together may hold, and that each may ask for. */
  readonly memory: number;
  /** Processes and threads. */
  readonly processes: number;
  /** Bytes of one written file. */
  readonly fileSize: number;
  /** Bytes of output after which the command is ended. */
  readonly output: number;
}

const defaults: Limits = {
  memory: Math.floor(totalmem() * 0.75),
  processes: Math.max(1024, 64 * availableParallelism()),
  fileSize: 16 * 1024 ** 3,
  output: 256 * 1024 ** 2,
};

export function defaultLimits(): Limits {
  return defaults;
}
