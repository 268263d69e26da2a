import { useCallback, useEffect, useRef } from "react";

const ignoreMs = 350;

/** True shortly after the component appeared: a key pressed for the previous question must not answer this one. */
export function useJustAppeared(): () => boolean {
  const appearedAt = useRef(Number.POSITIVE_INFINITY);
  useEffect(() => {
    appearedAt.current = performance.now();
  }, []);
  return useCallback(() => performance.now() - appearedAt.current < ignoreMs, []);
}
