// Asks the host again for what it could not answer. What is asked for once, and fails once, would else be missing until the page is loaded again.
import { HostError } from "@signalbox/protocol";
import type { HostConnection } from "./host-connection.ts";

const minRetryMs = 500;
const maxRetryMs = 30_000;

/** Whether the same question may be answered later. A lost connection is not meant: the reconnect asks again. */
export function mayPass(error: unknown): boolean {
  return error instanceof HostError && (error.code === "internal" || error.code === "rate_limited");
}

/** How long to wait after so many failures in a row. */
export function retryDelayMs(failures: number): number {
  return Math.min(minRetryMs * 2 ** Math.max(0, failures - 1), maxRetryMs);
}

/**
 * Asks when the connection opens, each time, and again after a failure that may pass. `onAnswer` gets each answer, unless one to a
 * newer question was faster. Gives the function that asks now.
 */
export function askWhenOpen<Answer>(
  connection: Pick<HostConnection, "status" | "onStatus">,
  ask: () => Promise<Answer>,
  onAnswer: (answer: Answer) => void,
): () => void {
  let newest = 0;
  let answered = 0;
  let failures = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const askNow = () => {
    clearTimeout(timer);
    if (connection.status !== "open") return;
    const round = ++newest;
    ask().then(
      (answer) => {
        if (round < answered) return;
        answered = round;
        failures = 0;
        onAnswer(answer);
      },
      (error: unknown) => {
        if (round === newest && mayPass(error)) timer = setTimeout(askNow, retryDelayMs(++failures));
      },
    );
  };
  connection.onStatus(askNow);
  askNow();
  return askNow;
}
