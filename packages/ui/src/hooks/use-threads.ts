import type { Threads } from "../stores/threads-store.ts";
import { useSignalbox } from "./signalbox.tsx";
import { useStore } from "./use-store.ts";

export function useThreads(): Threads {
  return useStore(useSignalbox().threads);
}
