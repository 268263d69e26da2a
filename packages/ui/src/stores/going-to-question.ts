import { Store } from "@signalbox/react";

/** The thread whose waiting question gets the focus as soon as it is shown. */
export const goingToQuestion = new Store<string | null>(null);
