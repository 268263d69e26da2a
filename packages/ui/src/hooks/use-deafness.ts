import { useCallback, useEffect, useRef } from "react";

const deafFor = 350;

/** True for a moment after the component appeared: a key pressed for the question before must not answer this one. */
export function useDeafness(): () => boolean {
  const shownAt = useRef(Number.POSITIVE_INFINITY);
  useEffect(() => {
    shownAt.current = performance.now();
  }, []);
  return useCallback(() => performance.now() - shownAt.current < deafFor, []);
}
