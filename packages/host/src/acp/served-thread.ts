// What the ACP client side needs to know of the thread whose agent it serves.
import type { JsonObject } from "@signalbox/protocol";
import type { Enforcement, Policy } from "@signalbox/sandbox";
import type { Register } from "@signalbox/tinyvex";
import type { PermissionBroker } from "../permissions/broker.ts";
import type { ElicitationBroker } from "../permissions/elicitation-broker.ts";
import type { Grants } from "../permissions/grants.ts";
import type { Place } from "../permissions/subject.ts";
import type { ToolCallsSeen } from "../permissions/tool-calls-seen.ts";

export interface ServedThread {
  readonly place: Place;
  readonly register: Register;
  readonly broker: PermissionBroker;
  readonly elicitations: ElicitationBroker;
  readonly grants: Grants;
  readonly seen: ToolCallsSeen;
  readonly policy: Policy;
  readonly enforcement: Enforcement;
  /** Variables that hold keys and may not look like it: no command gets them. */
  readonly secretNames: readonly string[];
  /** What reading a missing file answers: some agents cannot create a file unless it reads as empty. */
  readonly readMissingFile: "not_found" | "empty";
  /** Aborts when the running turn is cancelled or the session ends. */
  readonly turnSignal: () => AbortSignal;
}

/** States an update of our own, marked as ours, in the words agents use. */
export function stateUpdate({ register, place }: ServedThread, update: JsonObject): void {
  const params = { sessionId: "", update: { ...update, _meta: { "signalbox/host": true } } };
  register.append(place.threadId, { type: "update", params });
}
