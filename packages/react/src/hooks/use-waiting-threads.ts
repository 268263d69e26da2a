// The threads in which something waits for the person, in all threads, not only in those that are loaded.
import { useMemo } from "react";
import { type WaitingThread, waitingThreads } from "../stores/questions-store.ts";
import { useSignalboxClient } from "./signalbox.tsx";
import { useStore } from "./use-store.ts";

export function useWaitingThreads(): readonly WaitingThread[] {
  const questions = useStore(useSignalboxClient().questions);
  return useMemo(() => waitingThreads(questions), [questions]);
}
