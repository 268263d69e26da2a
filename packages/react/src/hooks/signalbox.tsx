// Gives components the client: its connection and its stores.
import { createContext, type ReactNode, useContext } from "react";
import type { SignalboxClient } from "../stores/signalbox-client.ts";

const Context = createContext<SignalboxClient | null>(null);

export function SignalboxProvider({ client, children }: { client: SignalboxClient; children: ReactNode }) {
  return <Context value={client}>{children}</Context>;
}

export function useSignalboxClient(): SignalboxClient {
  const client = useContext(Context);
  if (client === null) throw new Error("SignalboxProvider is missing");
  return client;
}
