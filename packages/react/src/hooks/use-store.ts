import { useSyncExternalStore } from "react";
import type { Store } from "../stores/store.ts";

/** The current value of a store. */
export function useStore<Value>(store: Store<Value>): Value {
  return useSyncExternalStore(store.subscribe, store.get);
}
