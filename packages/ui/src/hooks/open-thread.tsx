// Gives components the thread they are in, and parts of it: a card reads only its own terminal and its own question.

import type { PermissionRow, TerminalRow } from "@signalbox/protocol";
import { type HostConnection, type ThreadStore, useQuery } from "@signalbox/react";
import { createContext, type ReactNode, useContext, useEffect, useMemo, useSyncExternalStore } from "react";
import { CheckedPaths } from "../stores/checked-paths.ts";
import { hasPutAside } from "./runs.ts";
import { useSignalbox } from "./signalbox.ts";

const Context = createContext<ThreadStore | null>(null);

export function OpenThreadProvider({ source, children }: { source: ThreadStore; children: ReactNode }) {
  return <Context value={source}>{children}</Context>;
}

export function useThreadSource(): ThreadStore {
  const source = useContext(Context);
  if (source === null) throw new Error("OpenThreadProvider is missing");
  return source;
}

/** The thread and its folder; null outside of a thread. */
export function useThreadPlace(): { readonly threadId: string; readonly folder: string } | null {
  const store = useContext(Context)?.store ?? nowhere;
  const thread = useSyncExternalStore(store.subscribe, () => store.get().view?.thread ?? null);
  return thread === null ? null : { threadId: thread.id, folder: thread.cwd };
}

const nowhere = { subscribe: () => () => {}, get: () => ({ view: null }) } as const;
const checkedPaths = new WeakMap<ThreadStore, CheckedPaths>();

function createCheckedPaths(source: ThreadStore, connection: HostConnection, threadId: string): CheckedPaths {
  const paths = checkedPaths.get(source) ?? new CheckedPaths(connection, threadId);
  checkedPaths.set(source, paths);
  return paths;
}

/** The path from the thread's folder, where the host knows such a file. */
export function useCheckedPath(path: string | null): string | null {
  const { connection } = useSignalbox();
  const source = useContext(Context);
  const threadId = useThreadPlace()?.threadId ?? null;
  const store = source?.store ?? nowhere;
  // A turn that has ended may have made the file.
  const moment = useSyncExternalStore(
    store.subscribe,
    () => store.get().view?.turns.findLast(({ ended_at }) => ended_at !== null)?.turn_id ?? "",
  );
  const paths = useMemo(
    () => (source === null || threadId === null ? null : createCheckedPaths(source, connection, threadId)),
    [source, connection, threadId],
  );
  useEffect(() => {
    if (path !== null) paths?.check(path, moment);
  }, [paths, path, moment]);
  return useSyncExternalStore(paths?.found.subscribe ?? nowhere.subscribe, () =>
    path === null ? null : (paths?.found.get().get(path) ?? null),
  );
}

/** The thread's folder, to shorten paths. */
export function useFolder(): string {
  const { store } = useThreadSource();
  return useSyncExternalStore(store.subscribe, () => store.get().view?.thread.cwd ?? "");
}

/** The newest question about a tool call. */
export function useToolCallPermission(toolCallId: string | null): PermissionRow | null {
  const { store } = useThreadSource();
  return useSyncExternalStore(
    store.subscribe,
    () =>
      (toolCallId === null
        ? undefined
        : store.get().view?.permissions.findLast((row) => row.tool_call_id === toolCallId)) ?? null,
  );
}

/** A terminal of this thread. An old one is not among the loaded rows and is requested. */
export function useTerminal(terminalId: string, near: { thread_id: string; seq: number }): TerminalRow | null {
  const { store } = useThreadSource();
  const live = useSyncExternalStore(
    store.subscribe,
    () => store.get().view?.terminals.findLast((row) => row.terminal_id === terminalId) ?? null,
  );
  const args = { thread_id: near.thread_id, after_seq: Math.max(0, near.seq - 1), limit: 20 };
  const { rows } = useQuery("terminals.list", live === null ? args : null);
  return live ?? rows?.find((row) => row.terminal_id === terminalId) ?? null;
}

/** Whether a command in these terminals left settings that wait for the person. */
export function useHasPutAside(ids: readonly string[]): boolean {
  const { store } = useThreadSource();
  return useSyncExternalStore(store.subscribe, () => {
    if (ids.length === 0) return false;
    const terminals = store.get().view?.terminals ?? [];
    return terminals.some((terminal) => ids.includes(terminal.terminal_id) && hasPutAside(terminal));
  });
}

/** The first of these terminals whose command ended otherwise than with 0, where it is loaded. */
export function useFailedTerminal(ids: readonly string[]): TerminalRow | null {
  const { store } = useThreadSource();
  return useSyncExternalStore(store.subscribe, () => {
    if (ids.length === 0) return null;
    const hasFailed = ({ terminal_id, ended_at, exit_code }: TerminalRow) =>
      ended_at !== null && exit_code !== 0 && ids.includes(terminal_id);
    return store.get().view?.terminals.find(hasFailed) ?? null;
  });
}
