// Gives components the connection and the stores of the page.
import { createContext, type ReactNode, useContext } from "react";
import type { Signalbox } from "../stores/signalbox.ts";

const Context = createContext<Signalbox | null>(null);

export function SignalboxProvider({ signalbox, children }: { signalbox: Signalbox; children: ReactNode }) {
  return <Context value={signalbox}>{children}</Context>;
}

export function useSignalbox(): Signalbox {
  const signalbox = useContext(Context);
  if (signalbox === null) throw new Error("SignalboxProvider is missing");
  return signalbox;
}
