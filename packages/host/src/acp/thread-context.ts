// The thread whose agent the host serves, as the ACP client side sees it.
import { readUpdate, type ThreadSandbox, type UpdateFields } from "@signalbox/protocol";
import type { Place } from "@signalbox/rules";
import { type CacheUse, type Enforcement, goesByName, type Policy, type SessionLoopback } from "@signalbox/sandbox";
import type { Register } from "@signalbox/tinyvex";
import type { UnansweredRequests } from "../data/unanswered-requests.ts";
import type { ElicitationBroker } from "../permissions/elicitation-broker.ts";
import type { ThreadPermissions } from "../permissions/thread-permissions.ts";
import type { Editors } from "./editors.ts";
import type { RefusedHosts } from "./refused-hosts.ts";
import type { SubAgentSessions } from "./sub-agent-sessions.ts";

export interface ThreadContext {
  readonly place: Place;
  readonly register: Register;
  readonly editors: Editors;
  readonly elicitations: ElicitationBroker;
  readonly permissions: ThreadPermissions;
  readonly sandbox: CommandSandbox;
  readonly subAgents: SubAgentSessions;
  /** The agent's requests that have no answer yet. */
  readonly requests: UnansweredRequests;
  /** The answer to reading a missing file: some agents cannot create a file unless it reads as empty. */
  readonly readMissingFile: () => "not_found" | "empty";
}

/** The sandbox of the commands that the host runs for the agent. */
export interface CommandSandbox {
  readonly policy: Policy;
  readonly enforcement: Enforcement;
  /** The loopback that commands share; undefined where each has its own. */
  readonly loopback: SessionLoopback | undefined;
  /** The hosts that its network by name refused. */
  readonly refusedHosts: RefusedHosts;
  /** It is certain that the agent's files and commands go through the host. */
  readonly actsThroughHost: boolean;
  /** Commands need no permission unless a rule speaks about them: they run in the sandbox, without the network. */
  readonly autoAllowSandboxed: boolean;
  /** The sandbox of the agent's own process, as it was last described to the person. */
  readonly described: ThreadSandbox;
  /** Variables that hold keys and may not look like it: no command gets them. */
  readonly secretNames: readonly string[];
  /** Added to the environment of commands. */
  getVariables(use: CacheUse): Readonly<Record<string, string>>;
}

/** Records an update of the host, marked as the host's, in the form that agents send. */
export function recordUpdate(
  { register, place }: Pick<ThreadContext, "register" | "place">,
  fields: UpdateFields,
): void {
  const update = readUpdate({ sessionId: "", update: { ...fields, _meta: { "signalbox/host": true } } });
  register.append(place.threadId, { type: "update", update });
}

/** Describes the network that commands in the host's terminals have. */
export function describeNetwork({ enforcement, policy }: CommandSandbox): "on" | "off" | "allow-list" {
  if (enforcement.kind === "off") return "on";
  if (typeof policy.network === "string") return policy.network;
  return goesByName(enforcement) ? "allow-list" : "off";
}
