import { useStore } from "@signalbox/react";
import { useCallback } from "react";
import { fromHome } from "../text/paths.ts";
import { useSignalbox } from "./signalbox.ts";

/** Shortens a path in the home folder to ~. */
export function useFolderName(): (path: string) => string {
  const { home } = useStore(useSignalbox().machine);
  return useCallback((path) => fromHome(path, home), [home]);
}
