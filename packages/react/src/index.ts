// Exports what a page needs to show a Signalbox host: the client, its stores, and hooks that follow them.
export {
  type Answer,
  answerElicitation,
  answerPermission,
  type ConnectionStatus,
  digestShown,
  HostConnection,
  isHostUp,
  mildestOptions,
  parseAddress,
  submitPrompt,
} from "@signalbox/client";
export { SignalboxProvider, useSignalboxClient } from "./hooks/signalbox.tsx";
export { useAgentLabel } from "./hooks/use-agent-label.ts";
export { useConnectionStatus } from "./hooks/use-connection-status.ts";
export { type AskedPermission, usePermission } from "./hooks/use-permission.ts";
export { type QueryState, useQuery } from "./hooks/use-query.ts";
export { type SessionUpdates, useSessionUpdates } from "./hooks/use-session-updates.ts";
export { useStore } from "./hooks/use-store.ts";
export { useThread } from "./hooks/use-thread.ts";
export { useThreads } from "./hooks/use-threads.ts";
export { useWaitingThreads } from "./hooks/use-waiting-threads.ts";
export type { HostMachine } from "./stores/host-machine-store.ts";
export { type Questions, questionId, type WaitingThread } from "./stores/questions-store.ts";
export { type ClientOptions, SignalboxClient } from "./stores/signalbox-client.ts";
export { Store } from "./stores/store.ts";
export type { OpenThread, ThreadStore } from "./stores/thread-store.ts";
export { loadMoreThreads, type Threads } from "./stores/threads-store.ts";
