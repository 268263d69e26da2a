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
    // Again and again while it is stale: a newer value may come in the very render that shows the one before.
    const timer = setInterval(() => setThrottled(latest.current), pauseMs);
    return () => clearInterval(timer);
  }, [isStale, pauseMs]);
  return throttled;
}
