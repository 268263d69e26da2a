import { Store } from "@signalbox/react";

/** The thread in which a find bar was asked for from outside of it. */
export const finding = new Store<string | null>(null);
