// Waits for a promise until a signal aborts.

/** Like `work`, but rejects with the signal's reason as soon as it aborts. The result of `work` is ignored after that. */
export function untilAborted<T>(work: PromiseLike<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- the reason is passed on as it is
    const abort = () => reject(signal.reason);
    if (signal.aborted) {
      abort();
      Promise.resolve(work).catch(() => {});
      return;
    }
    signal.addEventListener("abort", abort, { once: true });
    work.then(
      (value) => {
        signal.removeEventListener("abort", abort);
        resolve(value);
      },
      (error: unknown) => {
        signal.removeEventListener("abort", abort);
        // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- passed on as it is
        reject(error);
      },
    );
  });
}
