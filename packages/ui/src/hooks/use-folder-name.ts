import { useCallback } from "react";
import { fromHome } from "../text/paths.ts";
import { useSignalbox } from "./signalbox.tsx";
import { useStore } from "./use-store.ts";

/** A folder as a person says it: from home on. */
export function useFolderName(): (path: string) => string {
  const { home } = useStore(useSignalbox().machine);
  return useCallback((path) => fromHome(path, home), [home]);
}
