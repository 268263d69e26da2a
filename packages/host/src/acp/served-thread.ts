// This type says what the ACP client side knows of the thread whose agent it serves.
import { readUpdate, type ThreadSandbox, type UpdateFields } from "@signalbox/protocol";
import type { Place } from "@signalbox/rules";
import { type CacheUse, type Enforcement, goesByName, type Policy, type SessionLoopback } from "@signalbox/sandbox";
import type { Register } from "@signalbox/tinyvex";
import type { UnansweredRequests } from "../data/unanswered-requests.ts";
import type { PermissionBroker } from "../permissions/broker.ts";
import type { ElicitationBroker } from "../permissions/elicitation-broker.ts";
import type { QuestionHistory } from "../permissions/question-history.ts";
import type { ToolCallIndex } from "../permissions/tool-call-index.ts";
import type { TurnGrants } from "../permissions/turn-grants.ts";
import type { Editors } from "./editors.ts";
import type { RefusedHosts } from "./refused-hosts.ts";
import type { SubAgentSessions } from "./sub-agent-sessions.ts";

export interface ServedThread {
  readonly place: Place;
  readonly register: Register;
  readonly broker: PermissionBroker;
  readonly elicitations: ElicitationBroker;
  readonly editors: Editors;
  readonly turnGrants: TurnGrants;
  readonly questionHistory: QuestionHistory;
  readonly toolCalls: ToolCallIndex;
  readonly subAgents: SubAgentSessions;
  readonly policy: Policy;
  readonly enforcement: Enforcement;
  /** What the commands in the host's terminals share; undefined where each has its own. */
  readonly loopback: SessionLoopback | undefined;
  /** What its network by name refuses. */
  readonly refusedHosts: RefusedHosts;
  /** It is certain that the agent's files and commands go through the host. */
  readonly actsThroughHost: boolean;
  /** Commands in the host's terminals need no permission unless a rule speaks about them: they run in the sandbox, without the network. */
  readonly autoAllowSandboxed: boolean;
  /** What encloses what the agent does itself, as it was last described. */
  readonly sandbox: () => ThreadSandbox;
  /** Added to the environment of commands. */
  readonly commandVariables: (use: CacheUse) => Readonly<Record<string, string>>;
  /** Variables that hold keys and may not look like it: no command gets them. */
  readonly secretNames: readonly string[];
  /** What reading a missing file answers: some agents cannot create a file unless it reads as empty. */
  readonly readMissingFile: () => "not_found" | "empty";
  /** The agent's requests that have no answer yet. */
  readonly requests: UnansweredRequests;
  /** Aborts when the running turn is cancelled or the session ends. */
  readonly turnSignal: () => AbortSignal;
}

/** Records an update of the host, marked as the host's, in the form that agents send. */
export function recordUpdate({ register, place }: ServedThread, fields: UpdateFields): void {
  const update = readUpdate({ sessionId: "", update: { ...fields, _meta: { "signalbox/host": true } } });
  register.append(place.threadId, { type: "update", update });
}

/** What the commands in the host's terminals can reach. */
export function networkOfTerminals({
  enforcement,
  policy,
}: Pick<ServedThread, "enforcement" | "policy">): "on" | "off" | "allow-list" {
  if (enforcement.kind === "off") return "on";
  if (typeof policy.network === "string") return policy.network;
  return goesByName(enforcement) ? "allow-list" : "off";
}
