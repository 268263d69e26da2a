// Waits for something, but not longer than it is wanted.

/** Like `work`, but rejects with the signal's reason as soon as it aborts. What comes of `work` after that is ignored. */
export function untilAborted<T>(work: PromiseLike<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- the reason is handed on as it is
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
        // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- handed on as it is
        reject(error);
      },
    );
  });
}
