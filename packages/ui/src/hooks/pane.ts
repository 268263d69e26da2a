// The part of the page that a component is in, where two threads are shown side by side.
import { createContext, useContext } from "react";

interface Pane {
  /** Keys are for this part. */
  readonly isActive: boolean;
  /** Another thread is shown beside it. */
  readonly isPaired: boolean;
}

export const PaneContext = createContext<Pane>({ isActive: true, isPaired: false });

export function usePane(): Pane {
  return useContext(PaneContext);
}
