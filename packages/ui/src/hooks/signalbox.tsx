// The way from components to the host: one connection for the whole page, handed down by context.
import { createContext, type ReactNode, useContext, useMemo } from "react";
import { Connection } from "../connection/connection.ts";
import { Deletions } from "../stores/deletions.ts";
import { followQuestions, type Questions } from "../stores/questions-store.ts";
import type { Store } from "../stores/store.ts";
import { followThreads, type Threads } from "../stores/threads-store.ts";

interface Signalbox {
  readonly connection: Connection;
  readonly threads: Store<Threads>;
  readonly questions: Store<Questions>;
  readonly deletions: Deletions;
}

const Context = createContext<Signalbox | null>(null);

export function SignalboxProvider({ token, children }: { token: string; children: ReactNode }) {
  const signalbox = useMemo(() => {
    const connection = new Connection(token);
    const threads = followThreads(connection);
    const questions = followQuestions(connection, threads);
    return { connection, threads, questions, deletions: new Deletions(connection) };
  }, [token]);
  return <Context value={signalbox}>{children}</Context>;
}

export function useSignalbox(): Signalbox {
  const signalbox = useContext(Context);
  if (signalbox === null) throw new Error("useSignalbox needs a SignalboxProvider around it");
  return signalbox;
}
