// The handlers of all requests and queries. The types say when one of the table in packages/protocol/src/requests is missing.
import type { QueryName, RequestName, SubscriptionName } from "@signalbox/protocol";
import {
  agentHandlers,
  agentQueryHandlers,
  installHandlers,
  keyHandlers,
  listHandlers,
  mcpHandlers,
} from "../agents/requests.ts";
import type { QueryHandlers, RequestHandlers } from "../data/handlers.ts";
import { deviceHandlers, deviceQueryHandlers } from "../devices/requests.ts";
import { permissionHandlers, ruleQueryHandlers } from "../permissions/requests.ts";
import { repositoryHandlers, repositoryQueryHandlers } from "../sessions/repository-requests.ts";
import { budgetQueryHandlers, sessionHandlers, sessionQueryHandlers } from "../sessions/requests.ts";
import {
  configHandlers,
  dataHandlers,
  fileQueryHandlers,
  hostQueryHandlers,
  importHandlers,
  machineQueryHandlers,
} from "./host-requests.ts";
import type { HostServices } from "./host-services.ts";
import { registerQueryHandlers } from "./register-requests.ts";

/** Every request but subscriptions, which belong to a connection. */
export type HandledName = Exclude<RequestName, SubscriptionName>;

export const requestHandlers: RequestHandlers<HandledName, HostServices> = {
  "tvx.ping": () => {},
  ...sessionHandlers,
  ...permissionHandlers,
  ...repositoryHandlers,
  ...agentHandlers,
  ...installHandlers,
  ...keyHandlers,
  ...listHandlers,
  ...mcpHandlers,
  ...deviceHandlers,
  ...dataHandlers,
  ...importHandlers,
  ...configHandlers,
};

export const queryHandlers: QueryHandlers<QueryName, HostServices> = {
  ...registerQueryHandlers,
  ...sessionQueryHandlers,
  ...budgetQueryHandlers,
  ...repositoryQueryHandlers,
  ...ruleQueryHandlers,
  ...agentQueryHandlers,
  ...deviceQueryHandlers,
  ...hostQueryHandlers,
  ...machineQueryHandlers,
  ...fileQueryHandlers,
};
