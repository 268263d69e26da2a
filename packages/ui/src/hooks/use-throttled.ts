import { useEffect, useRef, useState } from "react";

/** A value that changes at most once per `pause` ms: for summaries beside something that changes at every frame. */
export function useThrottled<Value>(value: Value, pause = 500): Value {
  const [shown, setShown] = useState(value);
  const latest = useRef(value);
  const isStale = shown !== value;
  useEffect(() => {
    latest.current = value;
  }, [value]);
  useEffect(() => {
    if (!isStale) return;
    const timer = setTimeout(() => setShown(latest.current), pause);
    return () => clearTimeout(timer);
  }, [isStale, pause]);
  return shown;
}
