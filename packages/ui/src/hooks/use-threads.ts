import { useSyncExternalStore } from "react";
import type { Threads } from "../stores/threads-store.ts";
import { useSignalbox } from "./signalbox.tsx";

export function useThreads(): Threads {
  const { threads } = useSignalbox();
  return useSyncExternalStore(threads.subscribe, threads.get);
}
