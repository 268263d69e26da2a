// The thread whose name is being changed: begun from the list or by key, done in the thread's head.
import { Store } from "./store.ts";

export const renaming = new Store<string | null>(null);
