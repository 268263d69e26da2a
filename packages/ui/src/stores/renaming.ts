// The thread whose title is being edited.
import { Store } from "./store.ts";

export const renaming = new Store<string | null>(null);
