// Limits how long an answer waits for the shared database.
import { setTimeout as wait } from "node:timers/promises";
import { HostError } from "@signalbox/protocol";

/** A list waits this long for the other machines. */
export const maxWaitMs = 3000;

export async function failIfLate<Result>(work: Promise<Result>): Promise<Result> {
  const stop = new AbortController();
  const late = wait(maxWaitMs, undefined, { signal: stop.signal, ref: false }).then(() => {
    throw new HostError(
      "unavailable",
      "The shared database does not answer. Threads of other machines cannot be read now.",
    );
  });
  late.catch(() => {});
  try {
    return await Promise.race([work, late]);
  } finally {
    stop.abort();
  }
}
