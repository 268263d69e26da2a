// Declares the services of a host. A function takes the ones it needs: Pick<HostServices, "register" | "sessions">.
import type { HistoryImports } from "@signalbox/history-import";
import type { AllMachines, ThreadReader } from "@signalbox/many-machines";
import type { ListeningRow } from "@signalbox/protocol";
import type { AcpRegistry } from "../agents/acp-registry/acp-registry.ts";
import type { Installer } from "../agents/install/installer.ts";
import type { Ollama } from "../agents/ollama.ts";
import type { LiveConfig } from "../data/user-config.ts";
import type { DeviceStore } from "../devices/device-store.ts";
import type { OneTimeCodes } from "../devices/one-time-codes.ts";
import type { QuestionPusher } from "../devices/question-pusher.ts";
import type { SessionServices } from "../sessions/session-services.ts";
import type { Sessions } from "../sessions/sessions.ts";
import type { FanOut } from "./fan-out.ts";

/** Install agents and find out which there are. */
interface AgentServices {
  readonly installer: Installer;
  readonly ollama: Ollama;
  readonly acpRegistry: AcpRegistry;
  /** Rebuilds the list of agents after one of its sources has changed. */
  refreshAgents(): void;
}

/** Reach the person on paired devices. */
interface DeviceServices {
  readonly devices: DeviceStore;
  readonly pairing: OneTimeCodes;
  /** The browser on this machine opens the page by them. */
  readonly pageCodes: OneTimeCodes;
  readonly pusher: QuestionPusher;
}

/** Read and change the threads of this machine, and of others where they are shared. */
interface ThreadServices {
  readonly sessions: Sessions;
  readonly threads: ThreadReader;
  readonly fanOut: FanOut;
  /** Null if no shared database is configured. */
  readonly machines: AllMachines | null;
  /** Runs work that replaces a thread's log. If the thread is shared, its shared log is removed and shipped again. */
  readonly replaceLog: (threadId: string, work: () => Promise<void>) => Promise<void>;
}

export interface HostServices extends SessionServices, AgentServices, DeviceServices, ThreadServices {
  readonly userConfig: LiveConfig;
  readonly imports: HistoryImports;
  /** Where the server listens; null before it does, and in a process without a server. */
  listening: ListeningRow | null;
  /** Stops the agents and closes the register. */
  close(): Promise<void>;
}
