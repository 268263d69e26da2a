// The host without its server: data folder, configuration, register, rules, agents, sessions. `signalbox run` needs no more than this.
import { homedir } from "node:os";
import type { ProgressMessage } from "@signalbox/protocol";
import { type Enforcement, proveEnforcement } from "@signalbox/sandbox";
import { openRegister, type Register, RegisterError } from "@signalbox/tinyvex";
import { knownAgents, type OwnProgram, ownAgents } from "./agents/known-agents.ts";
import { PidLedger, reapLeftovers } from "./agents/pid-ledger.ts";
import { ReadinessBook } from "./agents/readiness-book.ts";
import { type AgentDefinition, AgentRegistry } from "./agents/registry.ts";
import { type Config, readConfig, rulesOf } from "./config/config.ts";
import { type DataFolder, defaultDataFolder, openDataFolder, readRunningHost } from "./data/data-folder.ts";
import { StartError } from "./data/host-error.ts";
import { HistoryImports } from "./import/history-imports.ts";
import { RegisterClock } from "./import/register-clock.ts";
import { PermissionBroker } from "./permissions/broker.ts";
import { ElicitationBroker } from "./permissions/elicitation-broker.ts";
import { RuleBook } from "./permissions/rule-book.ts";
import { Sessions } from "./sessions/sessions.ts";

export interface RoomsOptions {
  readonly dataFolder?: string | undefined;
  /** How to start Signalbox itself, for its own agents. */
  readonly own: OwnProgram;
  /** Agents beside our own, the known and the configured ones. */
  readonly agents?: readonly AgentDefinition[];
  /** Told of work that takes a while; for screens. */
  readonly onProgress?: (message: ProgressMessage) => void;
  /** Told of what is wrong but does not stop us; for the terminal. */
  readonly onProblem?: (problem: string) => void;
}

export interface OpenRooms {
  readonly folder: DataFolder;
  readonly config: Config;
  readonly register: Register;
  readonly agents: AgentRegistry;
  readonly readiness: ReadinessBook;
  readonly ledger: PidLedger;
  readonly rules: RuleBook;
  readonly broker: PermissionBroker;
  readonly elicitations: ElicitationBroker;
  readonly sessions: Sessions;
  readonly imports: HistoryImports;
  readonly enforcement: Promise<Enforcement>;
  readonly version: string;
  /** Stops the agents and closes the register. */
  close(): Promise<void>;
}

/** Throws a StartError whose message says what is wrong and what to do. */
export async function openRooms(options: RoomsOptions): Promise<OpenRooms> {
  const { own, onProgress, onProblem = () => {} } = options;
  const { version } = own;
  const folder = openDataFolder(options.dataFolder ?? defaultDataFolder());
  const config = readConfig(folder.path);
  const clock = new RegisterClock();
  const register = await openRegisterIn(folder, clock);
  const configured = Object.entries(config.agents).map(([id, agent]) => ({ id, label: agent.label ?? id, ...agent }));
  await reapLeftovers(folder.path);
  const ledger = new PidLedger(folder.path);
  const agents = new AgentRegistry([
    ...ownAgents(own, folder.path),
    ...knownAgents(),
    ...configured,
    ...(options.agents ?? []),
  ]);
  const readiness = new ReadinessBook(agents, { ledger });
  const rules = new RuleBook(folder.rules, onProblem);
  rules.addFixed(
    rulesOf(config).map((rule) => ({ ...rule, scope: null })),
    "user_config",
  );
  const timeout = config.permission_timeout_s * 1000;
  const broker = new PermissionBroker(register, rules, timeout);
  const elicitations = new ElicitationBroker(register, timeout);
  const enforcement = proveEnforcement({ off: config.sandbox.mode === "off" });
  const sessions = new Sessions({
    register,
    agents,
    rules,
    broker,
    elicitations,
    config,
    dataFolder: folder.path,
    enforcement,
    version,
    ledger,
    readiness,
    onStep: (subject, message, finished) =>
      onProgress?.({ type: "host.progress", task: "agents.start", subject, message, finished }),
  });
  const agentIds = { claude: "claude-code", codex: "codex" };
  const imports = new HistoryImports({ register, clock, home: homedir(), env: process.env, agentIds });
  const close = async () => {
    await sessions.stopAll();
    await imports.stop();
    await register.close();
  };
  return {
    folder,
    config,
    register,
    agents,
    readiness,
    ledger,
    rules,
    broker,
    elicitations,
    sessions,
    imports,
    enforcement,
    version,
    close,
  };
}

async function openRegisterIn(folder: DataFolder, clock: RegisterClock): Promise<Register> {
  try {
    return await openRegister({ path: folder.database, now: clock.now });
  } catch (error) {
    if (!(error instanceof RegisterError)) throw error;
    const running = error.code === "in_use" ? readRunningHost(folder) : null;
    const where = running === null ? "" : ` It is at ${running.url}.`;
    throw new StartError(`${error.message}${where}`, { cause: error });
  }
}
