import { useSignalboxClient } from "@signalbox/react";
import { Signalbox } from "../stores/signalbox.ts";

/** The page's client, which `SignalboxProvider` has. */
export function useSignalbox(): Signalbox {
  const client = useSignalboxClient();
  if (!(client instanceof Signalbox)) throw new Error("SignalboxProvider has no client of the page");
  return client;
}
