// The part of the page that a component is in, where two threads are shown side by side.
import { createContext, useContext } from "react";

interface Pane {
  /** Keys are for this part. */
  readonly isActive: boolean;
  /** Where it stands beside another thread; null where it is alone. */
  readonly side: "left" | "right" | null;
}

export const PaneContext = createContext<Pane>({ isActive: true, side: null });

export function usePane(): Pane {
  return useContext(PaneContext);
}

/** The name of a part of a thread, such that no two on the page have the same. */
export function usePartName(name: string): string {
  return usePane().side === "right" ? `${name}, right thread` : name;
}
