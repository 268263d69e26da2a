// How many rounds a randomized test runs: some in `npm test`, all of them in `npm run test:long`, which runs the files that import this one.

/** Whether this is `npm run test:long`. */
export const isLong = process.env.SIGNALBOX_LONG_TESTS === "1";

export function rounds({ some, all }: { readonly some: number; readonly all: number }): number {
  return isLong ? all : some;
}
