import { useSyncExternalStore } from "react";
import type { Store } from "../stores/store.ts";

/** The value of a store, followed. */
export function useStore<Value>(store: Store<Value>): Value {
  return useSyncExternalStore(store.subscribe, store.get);
}
