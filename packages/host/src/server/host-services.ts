// Declares the services of a host. A function takes the ones it needs: Pick<HostServices, "register" | "sessions">.

import type { HistoryImports } from "@signalbox/history-import";
import type { AllMachines, ThreadReader } from "@signalbox/many-machines";
import type { ListeningRow } from "@signalbox/protocol";
import type { AcpRegistry } from "../agents/acp-registry/acp-registry.ts";
import type { Installer } from "../agents/install/installer.ts";
import type { Ollama } from "../agents/ollama.ts";
import type { LiveConfig } from "../data/user-config.ts";
import type { DeviceStore } from "../devices/device-store.ts";
import type { Pairing } from "../devices/pairing.ts";
import type { QuestionPusher } from "../devices/question-pusher.ts";
import type { SessionServices } from "../sessions/session-services.ts";
import type { Sessions } from "../sessions/sessions.ts";
import type { FanOut } from "./fan-out.ts";

export interface HostServices extends SessionServices {
  readonly userConfig: LiveConfig;
  readonly installer: Installer;
  readonly ollama: Ollama;
  readonly acpRegistry: AcpRegistry;
  /** Makes the list of agents again, after something that it is made from changed. */
  refreshAgents(): void;
  readonly sessions: Sessions;
  readonly devices: DeviceStore;
  readonly pairing: Pairing;
  /** Sends questions to devices. */
  readonly pusher: QuestionPusher;
  readonly imports: HistoryImports;
  readonly fanOut: FanOut;
  /** Reads the threads of this machine, and of all others where they are shared. */
  readonly threads: ThreadReader;
  /** Null when no shared database is configured. */
  readonly machines: AllMachines | null;
  /** Does work that replaces a thread's log. Where it is shared, what was shared of it before is removed. */
  readonly whileReplaced: (threadId: string, work: () => Promise<void>) => Promise<void>;
  /** Where the server listens; null before it does, and in a process without a server. */
  listening: ListeningRow | null;
  /** Stops the agents and closes the register. */
  close(): Promise<void>;
}
