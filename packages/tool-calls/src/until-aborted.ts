// Waits for something, but not longer than it is wanted.

/** Like `work`, but rejects with the signal's reason as soon as it aborts. What comes of `work` after that is ignored. */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- the reason is handed on as it is
    const abort = () => reject(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
    if (signal.aborted) abort();
  });
}
