import { useEffect, useState } from "react";

/** The current time, updated every `every` ms while `isRunning`. */
export function useNow(isRunning: boolean, every = 1000): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!isRunning) return;
    const timer = setInterval(() => setNow(Date.now()), every);
    return () => clearInterval(timer);
  }, [isRunning, every]);
  return now;
}
