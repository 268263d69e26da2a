// Tells how long a question is on the screen: a key that was pressed for something else must not answer it.
import { useCallback, useEffect, useRef } from "react";
import { isAfterPause, pauseMs } from "../stores/person-activity.ts";

const ignoreMs = 350;

/** True shortly after the component appeared: a key pressed for the previous question must not answer this one. */
export function useJustAppeared(): () => boolean {
  const appearedAt = useRef(Number.POSITIVE_INFINITY);
  useEffect(() => {
    appearedAt.current = performance.now();
  }, []);
  return useCallback(() => performance.now() - appearedAt.current < ignoreMs, []);
}

/** True while a plain letter is text, and no answer: shortly after other letters, after the component appeared, and after the view changed. */
export function useTypedLetters(): () => boolean {
  const appearedAt = useRef(Number.POSITIVE_INFINITY);
  useEffect(() => {
    appearedAt.current = performance.now();
  }, []);
  return useCallback(() => !isAfterPause() || performance.now() - appearedAt.current < pauseMs, []);
}
