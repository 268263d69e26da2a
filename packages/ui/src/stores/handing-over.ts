import { Store } from "@signalbox/react";
// The thread for which another agent is being chosen.

export const handingOver = new Store<string | null>(null);
