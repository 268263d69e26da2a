import { Store } from "@signalbox/react";
// The thread whose title is being edited.

export const renaming = new Store<string | null>(null);
