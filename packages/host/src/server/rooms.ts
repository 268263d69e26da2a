// What the server needs of the rest of the host.
import type { ListeningRow } from "@signalbox/protocol";
import type { Enforcement } from "@signalbox/sandbox";
import type { Register } from "@signalbox/tinyvex";
import type { PidLedger } from "../agents/pid-ledger.ts";
import type { ReadinessBook } from "../agents/readiness-book.ts";
import type { AgentRegistry } from "../agents/registry.ts";
import type { Config } from "../config/config.ts";
import type { DataFolder } from "../data/data-folder.ts";
import type { HistoryImports } from "../import/history-imports.ts";
import type { PermissionBroker } from "../permissions/broker.ts";
import type { ElicitationBroker } from "../permissions/elicitation-broker.ts";
import type { RuleBook } from "../permissions/rule-book.ts";
import type { Sessions } from "../sessions/sessions.ts";
import type { FanOut } from "./fan-out.ts";

export interface Rooms {
  readonly register: Register;
  readonly sessions: Sessions;
  readonly agents: AgentRegistry;
  readonly readiness: ReadinessBook;
  readonly ledger: PidLedger;
  readonly rules: RuleBook;
  readonly broker: PermissionBroker;
  readonly elicitations: ElicitationBroker;
  readonly imports: HistoryImports;
  readonly fanOut: FanOut;
  readonly config: Config;
  readonly folder: DataFolder;
  readonly enforcement: Promise<Enforcement>;
  readonly version: string;
  /** Known once the server listens. */
  readonly listening: () => ListeningRow | null;
}
