import { useEffect, useRef, useState } from "react";

/** The value, updated at most once per `pauseMs`: for summaries of something that changes at every frame. */
export function useThrottled<Value>(value: Value, pauseMs = 500): Value {
  const [throttled, setThrottled] = useState(value);
  const latest = useRef(value);
  const isStale = throttled !== value;
  useEffect(() => {
    latest.current = value;
  }, [value]);
  useEffect(() => {
    if (!isStale) return;
    const timer = setTimeout(() => setThrottled(latest.current), pauseMs);
    return () => clearTimeout(timer);
  }, [isStale, pauseMs]);
  return throttled;
}
