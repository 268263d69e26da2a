// Wraps a handler of a stream, a socket or a timer. Nothing waits for such a handler, so an error in it would end the whole process.

/** The handler, never throwing: `onError` gets what it throws and what its promise rejects with. `onError` itself must not throw. */
export function guard<Given extends readonly unknown[]>(
  onError: (error: unknown) => void,
  handle: (...given: Given) => unknown,
): (...given: Given) => void {
  return (...given) => {
    try {
      const handled = handle(...given);
      if (handled instanceof Promise) handled.catch(onError);
    } catch (error) {
      onError(error);
    }
  };
}
