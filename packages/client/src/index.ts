// Exports a client of a Signalbox host, for browsers and Node: the connection with its typed requests, and what follows a thread.
export { type Answer, answerElicitation, answerPermission, mildestOptions } from "./answer-permission.ts";
export { askWhenOpen, mayPass, retryDelayMs } from "./ask-again.ts";
export { digestShown } from "./digest-shown.ts";
export {
  type ConnectionOptions,
  type ConnectionStatus,
  connectionLost,
  type HostAddress,
  HostConnection,
  type HostSocket,
  OfflineError,
} from "./host-connection.ts";
export { isHostUp } from "./is-host-up.ts";
export { parseAddress } from "./parse-address.ts";
export { submitPrompt } from "./submit-prompt.ts";
export { followThread, ThreadFollower, type ThreadListener } from "./thread-follower.ts";
