import type { Threads } from "../stores/threads-store.ts";
import { useSignalboxClient } from "./signalbox.tsx";
import { useStore } from "./use-store.ts";

export function useThreads(): Threads {
  return useStore(useSignalboxClient().threads);
}
