import { useSyncExternalStore } from "react";
import type { ConnectionStatus } from "../connection/connection.ts";
import { useSignalbox } from "./signalbox.tsx";

export function useConnectionStatus(): ConnectionStatus {
  const { connection } = useSignalbox();
  return useSyncExternalStore(
    (listener) => connection.onStatus(listener),
    () => connection.status,
  );
}
