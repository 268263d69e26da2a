// Declares the host's services that sessions need, by subject. A function takes those that it uses.
import type { CheckpointPool, GitStates } from "@signalbox/checkpoints";
import type { UserConfig } from "@signalbox/config";
import type { KeyStore } from "@signalbox/config/keys";
import type { Enforcement } from "@signalbox/sandbox";
import type { Register } from "@signalbox/tinyvex";
import type { Editors } from "../acp/editors.ts";
import type { PidLedger } from "../agents/pid-ledger.ts";
import type { ProbeOptions } from "../agents/probe-place.ts";
import type { ReadinessTracker } from "../agents/readiness-tracker.ts";
import type { AgentRegistry } from "../agents/registry.ts";
import type { DataFolder } from "../data/data-folder.ts";
import type { PermissionBroker } from "../permissions/broker.ts";
import type { ElicitationBroker } from "../permissions/elicitation-broker.ts";
import type { RuleStore } from "../permissions/rule-store.ts";

interface DataServices {
  readonly folder: DataFolder;
  readonly userConfig: UserConfig;
  /** The keys that the user gave to Signalbox. */
  readonly keys: KeyStore;
  readonly register: Register;
  readonly version: string;
}

interface AgentServices {
  readonly agents: AgentRegistry;
  readonly readiness: ReadinessTracker;
  readonly ledger: PidLedger;
  readonly enforcement: Promise<Enforcement>;
  /** How agents are started without a thread. */
  readonly probes: ProbeOptions;
}

interface PermissionServices {
  readonly rules: RuleStore;
  readonly broker: PermissionBroker;
  readonly elicitations: ElicitationBroker;
}

interface FolderServices {
  /** Connected editors that serve the files of threads. */
  readonly editors: Editors;
  readonly checkpoints: CheckpointPool;
  readonly gitStates: GitStates;
}

export interface SessionServices extends DataServices, AgentServices, PermissionServices, FolderServices {}
