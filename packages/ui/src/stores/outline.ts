import { Store } from "@signalbox/react";
// The thread whose outline is open.

export const outline = new Store<string | null>(null);
