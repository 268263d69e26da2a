import { useEffect, useMemo } from "react";
import type { OpenThread, ThreadStore } from "../stores/thread-store.ts";
import { useSignalbox } from "./signalbox.tsx";
import { useStore } from "./use-store.ts";

/** A thread as it stands and as it goes on, and the way to its older parts; closed when the component goes away. */
export function useThread(threadId: string): OpenThread & { readonly source: ThreadStore } {
  const signalbox = useSignalbox();
  const source = useMemo(() => signalbox.thread(threadId), [signalbox, threadId]);
  useEffect(() => {
    source.open();
    return () => source.close();
  }, [source]);
  return { ...useStore(source.store), source };
}
