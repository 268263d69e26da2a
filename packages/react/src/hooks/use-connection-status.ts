import type { ConnectionStatus } from "@signalbox/client";
import { useSyncExternalStore } from "react";
import { useSignalboxClient } from "./signalbox.tsx";

export function useConnectionStatus(): ConnectionStatus {
  const { connection } = useSignalboxClient();
  return useSyncExternalStore(
    (listener) => connection.onStatus(listener),
    () => connection.status,
  );
}
