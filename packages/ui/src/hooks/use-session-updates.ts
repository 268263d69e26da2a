import type { ThreadChange } from "@signalbox/protocol";
import { useEffect } from "react";
import { useSignalbox } from "./signalbox.tsx";

/** Every change of a thread that is open somewhere on this page, as it arrives. `listener` should be stable. */
export function useSessionUpdates(threadId: string, listener: (change: ThreadChange) => void): void {
  const { connection } = useSignalbox();
  useEffect(
    () =>
      connection.onMessage((message) => {
        if (message.type !== "tinyvex.update" && message.type !== "tinyvex.finalize") return;
        if (message.stream !== "threads" && message.thread_id === threadId) listener(message);
      }),
    [connection, threadId, listener],
  );
}
