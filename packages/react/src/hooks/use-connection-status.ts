import { useSyncExternalStore } from "react";
import type { ConnectionStatus } from "../connection/connection.ts";
import { useSignalboxClient } from "./signalbox.tsx";

export function useConnectionStatus(): ConnectionStatus {
  const { connection } = useSignalboxClient();
  return useSyncExternalStore(
    (listener) => connection.onStatus(listener),
    () => connection.status,
  );
}
