// The thread whose outline is open.
import { Store } from "./store.ts";

export const outline = new Store<string | null>(null);
