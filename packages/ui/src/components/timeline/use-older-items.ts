// Loads what is older as the person comes near to the beginning. What a sub-agent did takes one line however many pages it fills: after a
// few pages that brought hardly anything to see, it is the person who goes on.
import { useEffect, useState } from "react";
import { useThreadSource } from "../../hooks/open-thread.tsx";

interface Beginning {
  readonly hasOlder: boolean;
  /** The place of the first item that is loaded. */
  readonly oldest: number | undefined;
  /** How many stops there are. */
  readonly count: number;
  readonly isNear: boolean;
}

const mostForNothing = 5;
const something = 8;

/** What loads the next page, where that waits for the person. */
export function useOlderItems({ hasOlder, oldest, count, isNear }: Beginning): (() => void) | null {
  const source = useThreadSource();
  const [before, setBefore] = useState({ oldest, count, forNothing: 0 });
  if (before.oldest !== oldest) {
    const isWorthIt = count - before.count >= something;
    setBefore({ oldest, count, forNothing: isWorthIt ? 0 : before.forNothing + 1 });
  }
  const waits = before.forNothing >= mostForNothing;
  useEffect(() => {
    if (hasOlder && isNear && !waits && oldest !== undefined) source.loadOlder().catch(() => {});
  }, [source, hasOlder, isNear, waits, oldest]);
  return hasOlder && isNear && waits ? () => setBefore({ oldest, count, forNothing: 0 }) : null;
}
