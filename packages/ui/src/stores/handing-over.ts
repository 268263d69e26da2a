// The thread for which another agent is being chosen.
import { Store } from "./store.ts";

export const handingOver = new Store<string | null>(null);
