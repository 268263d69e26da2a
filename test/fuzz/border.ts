// A border: a place where bytes of a stranger come in.

export interface Border {
  /** Throws where a promise is not kept for this input. What it may do with an input it need not like, such as refuse it, is no failure. */
  check(input: Buffer): Promise<void> | void;
  close?(): Promise<void>;
}

/** `folder` is empty and the border's own. */
export type OpenBorder = (folder: string) => Promise<Border>;

export function assert(isTrue: boolean, promise: string): asserts isTrue {
  if (!isTrue) throw new Error(`not kept: ${promise}`);
}

/** Gives what `work` returns; undefined where it throws an error of one of these classes, which is how it refuses. */
export function attempt<Result>(
  work: () => Result,
  ...refusals: readonly (new (
    ...given: never[]
  ) => Error)[]
): Result | undefined {
  try {
    return work();
  } catch (error) {
    if (refusals.some((refusal) => error instanceof refusal)) return undefined;
    throw error;
  }
}
