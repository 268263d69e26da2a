import { useEffect, useMemo, useSyncExternalStore } from "react";
import { type OpenThread, ThreadStore } from "../stores/thread-store.ts";
import { useSignalbox } from "./signalbox.tsx";

/** A thread as it stands and as it goes on; closed when the component goes away. */
export function useThread(threadId: string): OpenThread {
  const { connection } = useSignalbox();
  const thread = useMemo(() => new ThreadStore(connection, threadId), [connection, threadId]);
  useEffect(() => {
    thread.open();
    return () => thread.close();
  }, [thread]);
  return useSyncExternalStore(thread.store.subscribe, thread.store.get);
}
