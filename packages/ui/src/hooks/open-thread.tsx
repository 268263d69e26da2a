// The thread a component stands in, and slices of it: a card reads its own terminal and its own question, nothing else.
import type { PermissionRow, TerminalRow } from "@signalbox/protocol";
import { createContext, type ReactNode, useContext, useEffect, useState, useSyncExternalStore } from "react";
import { queryPage } from "../connection/query.ts";
import type { ThreadStore } from "../stores/thread-store.ts";
import { useSignalbox } from "./signalbox.tsx";

const Context = createContext<ThreadStore | null>(null);

export function OpenThreadProvider({ source, children }: { source: ThreadStore; children: ReactNode }) {
  return <Context value={source}>{children}</Context>;
}

export function useThreadSource(): ThreadStore {
  const source = useContext(Context);
  if (source === null) throw new Error("this component needs an OpenThreadProvider around it");
  return source;
}

/** The thread's folder, by which paths are shown short. */
export function useFolder(): string {
  const { store } = useThreadSource();
  return useSyncExternalStore(store.subscribe, () => store.get().view?.thread.cwd ?? "");
}

/** The newest question about a tool call. */
export function usePermissionOf(toolCallId: string): PermissionRow | null {
  const { store } = useThreadSource();
  return useSyncExternalStore(
    store.subscribe,
    () => store.get().view?.permissions.findLast((row) => row.tool_call_id === toolCallId) ?? null,
  );
}

/** A terminal of this thread. One from long ago is not among the newest rows and is asked for. */
export function useTerminal(terminalId: string, near: { thread_id: string; seq: number }): TerminalRow | null {
  const { connection } = useSignalbox();
  const { store } = useThreadSource();
  const live = useSyncExternalStore(
    store.subscribe,
    () => store.get().view?.terminals.findLast((row) => row.terminal_id === terminalId) ?? null,
  );
  const [old, setOld] = useState<TerminalRow | null>(null);
  const isKnown = live !== null;
  useEffect(() => {
    if (isKnown) return;
    const args = { thread_id: near.thread_id, after_seq: Math.max(0, near.seq - 1), limit: 20 };
    queryPage(connection, "terminals.list", args).then(
      ({ rows }) => setOld(rows.find((row) => row.terminal_id === terminalId) ?? null),
      // The line broke; the card says that there is no output, and asks again when it is opened again.
      () => {},
    );
  }, [connection, isKnown, terminalId, near.thread_id, near.seq]);
  return live ?? old;
}
