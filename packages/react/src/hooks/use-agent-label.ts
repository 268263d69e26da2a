import { recordedAgentName } from "@signalbox/protocol";
import { useCallback } from "react";
import { useSignalboxClient } from "./signalbox.tsx";
import { useStore } from "./use-store.ts";

/** The label of an agent; its id until the label is known. */
export function useAgentLabel(): (agentId: string) => string {
  const { labels } = useStore(useSignalboxClient().machine);
  return useCallback((agentId) => labels.get(agentId) ?? recordedAgentName(agentId) ?? agentId, [labels]);
}
