import { useEffect, useMemo } from "react";
import type { OpenThread, ThreadStore } from "../stores/thread-store.ts";
import { useSignalboxClient } from "./signalbox.tsx";
import { useStore } from "./use-store.ts";

/** Follows a thread while the component is mounted. */
export function useThread(threadId: string): OpenThread & { readonly source: ThreadStore } {
  const signalbox = useSignalboxClient();
  const source = useMemo(() => signalbox.thread(threadId), [signalbox, threadId]);
  useEffect(() => {
    source.open();
    return () => source.close();
  }, [source]);
  return { ...useStore(source.store), source };
}
