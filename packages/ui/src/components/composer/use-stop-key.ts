// Escape stops a turn only when it is pressed twice: the first press shows a hint, and the second within 1.5 s stops.
import { useEffect, useState } from "react";

const stopMs = 1500;

export function useStopKey(isBusy: boolean, stop: () => void) {
  const [askedAt, setAskedAt] = useState<number | null>(null);
  useEffect(() => {
    if (askedAt === null) return;
    const timer = setTimeout(() => setAskedAt(null), stopMs);
    return () => clearTimeout(timer);
  }, [askedAt]);
  const onEscape = () => {
    const now = performance.now();
    const isSecond = askedAt !== null && now - askedAt < stopMs;
    setAskedAt(isSecond ? null : now);
    if (isSecond) stop();
  };
  return { isStopAsked: isBusy && askedAt !== null, onEscape };
}
