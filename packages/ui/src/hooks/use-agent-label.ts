import { useCallback } from "react";
import { useSignalbox } from "./signalbox.tsx";
import { useStore } from "./use-store.ts";

/** What a person calls an agent; its id until that is known. */
export function useAgentLabel(): (agentId: string) => string {
  const { labels } = useStore(useSignalbox().machine);
  return useCallback((agentId) => labels.get(agentId) ?? agentId, [labels]);
}
