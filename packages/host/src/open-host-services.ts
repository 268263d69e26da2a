// Opens the host's services: data folder, configuration, register, rules, agents, sessions.
import { homedir } from "node:os";
import { join } from "node:path";
import { CheckpointPool, GitStates } from "@signalbox/checkpoints";
import { type Config, secretVariables } from "@signalbox/config";
import { KeyStore } from "@signalbox/config/keys";
import { HistoryImports } from "@signalbox/history-import";
import { openSharing, type SharedSecrets } from "@signalbox/many-machines";
import {
  describePutAside,
  proveEnforcement,
  reserveDatabases,
  restoreGitSettings,
  settleLeftovers,
} from "@signalbox/sandbox";
import { openRegister, type Register, RegisterError } from "@signalbox/tinyvex";
import { Editors } from "./acp/editors.ts";
import { AcpRegistry } from "./agents/acp-registry/acp-registry.ts";
import { listAllAgents } from "./agents/all-agents.ts";
import { Installer } from "./agents/install/installer.ts";
import type { OwnProgram } from "./agents/known-agents.ts";
import { Ollama } from "./agents/ollama.ts";
import { PidLedger, reapLeftovers } from "./agents/pid-ledger.ts";
import type { ProbeOptions } from "./agents/probe-place.ts";
import { ReadinessTracker } from "./agents/readiness-tracker.ts";
import { type AgentDefinition, AgentRegistry } from "./agents/registry.ts";
import {
  type DataFolder,
  defaultDataFolder,
  openDataFolder,
  readRunningHost,
  sharedFile,
  tightenDataFolder,
} from "./data/data-folder.ts";
import { StartError } from "./data/host-error.ts";
import { reportRebuild } from "./data/report-rebuild.ts";
import { LiveConfig } from "./data/user-config.ts";
import { DeviceStore } from "./devices/device-store.ts";
import { OneTimeCodes, openingPage, pairing } from "./devices/one-time-codes.ts";
import { QuestionPusher } from "./devices/question-pusher.ts";
import { PermissionBroker } from "./permissions/broker.ts";
import { ElicitationBroker } from "./permissions/elicitation-broker.ts";
import { RuleStore } from "./permissions/rule-store.ts";
import { answerRemote } from "./server/answer-request.ts";
import { FanOut } from "./server/fan-out.ts";
import type { HostServices } from "./server/host-services.ts";
import { keepInterruptedTurns } from "./sessions/keep-interrupted-turns.ts";
import { removeNetworkLeftovers } from "./sessions/network-leftovers.ts";
import { keepRetention } from "./sessions/retention.ts";
import type { SessionServices } from "./sessions/session-services.ts";
import { Sessions } from "./sessions/sessions.ts";

export interface HostServicesOptions {
  readonly dataFolder?: string | undefined;
  /** How to start Signalbox itself, for its own agents. */
  readonly own: OwnProgram;
  /** Agents beside our own, the known and the configured ones. */
  readonly agents?: readonly AgentDefinition[];
  /** What the environment said of the shared database. */
  readonly shared?: SharedSecrets;
  /** Called with problems that do not stop the host; for the terminal. */
  readonly onProblem?: (problem: string) => void;
}

/** Throws a StartError whose message says what is wrong and what to do. */
export async function openHostServices(options: HostServicesOptions): Promise<HostServices> {
  const { own, onProblem = () => {} } = options;
  const folder = openDataFolder(options.dataFolder ?? defaultDataFolder());
  tightenDataFolder(folder.path, onProblem);
  const userConfig = new LiveConfig(folder.path);
  const { config } = userConfig;
  const shared = { positionsFile: sharedFile(folder.path), cacheFile: join(folder.path, "shared-cache.db") };
  reserveDatabases([folder.database, ...Object.values(shared)]);
  const register = await openFolderRegister(folder);
  const fanOut = new FanOut();
  const { shared: secrets = {} } = options;
  const { version } = own;
  const sharing = openSharing({
    secrets,
    config: config.shared,
    ...shared,
    register,
    followers: fanOut,
    version,
    onProblem,
  });
  const machines = sharing?.machines ?? null;
  register.onChanges((changes) => fanOut.publish(machines?.markOwnChanges(changes) ?? changes));
  reportRebuild(register, (message) => fanOut.sendProgress(message));
  await reapLeftovers(folder.path);
  removeNetworkLeftovers(folder.path);
  for (const aside of settleLeftovers(folder.path)) onProblem(describePutAside(aside));
  await restoreRepositories(register, onProblem);
  const ledger = new PidLedger(folder.path);
  const keys = new KeyStore(folder.path);
  const { agents: more = [] } = options;
  const acpRegistry = new AcpRegistry(folder.path);
  const listAgents = (current: Config) =>
    listAllAgents({ own, dataFolder: folder.path, config: current, keys, acpRegistry, more });
  const agents = new AgentRegistry(listAgents(config));
  const installer = new Installer({ ledger, secrets: () => secretVariables(userConfig.config) });
  const ollama = new Ollama(() => userConfig.config, ledger);
  const rules = new RuleStore(folder.rules, onProblem);
  rules.setConfig(config.permissions);
  userConfig.onChange((current) => {
    agents.replace(listAgents(current));
    rules.setConfig(current.permissions);
  });
  const timeout = config.permission_timeout_s * 1000;
  const enforcement = proveEnforcement({ off: config.sandbox.mode === "off" });
  const probes: ProbeOptions = {
    ledger,
    openPlace: async (agent) => {
      // Loaded when it is needed: it brings ACP's schemas.
      const { openProbePlace } = await import("./sessions/open-probe-place.ts");
      return await openProbePlace({ dataFolder: folder.path, userConfig, keys, enforcement }, agent);
    },
  };
  const services: SessionServices = {
    folder,
    userConfig,
    keys,
    register,
    agents,
    probes,
    readiness: new ReadinessTracker(agents, keys, probes),
    ledger,
    rules,
    broker: new PermissionBroker(register, rules, timeout),
    elicitations: new ElicitationBroker(register, timeout),
    editors: new Editors(),
    checkpoints: new CheckpointPool(folder.path),
    gitStates: new GitStates(folder.path),
    enforcement,
    version: own.version,
  };
  await keepInterruptedTurns(services);
  const sessions = new Sessions(services, (subject, message, finished) =>
    fanOut.sendProgress({ type: "host.progress", task: "agents.start", subject, message, finished }),
  );
  const devices = new DeviceStore(folder.path, onProblem);
  const pusher = new QuestionPusher({
    devices,
    questions: () => register.query("questions.list", {}),
    agentLabel: (agentId) => agents.find(agentId)?.label ?? agentId,
    onProblem,
  });
  register.onChanges((changes) => {
    if (changes.some((change) => change.stream === "threads" && "row" in change && change.row.waiting > 0))
      pusher.refresh();
  });
  const agentIds = { claude: "claude-code", codex: "codex" };
  const imports = new HistoryImports({ register, home: homedir(), env: process.env, agentIds });
  const stopRetention = keepRetention({ register, sessions, userConfig, onProblem });
  const close = async () => {
    await stopRetention();
    await Promise.all([sessions.stopAll(), installer.stop(), ollama.stop()]);
    services.checkpoints.close();
    await imports.stop();
    await sharing?.stop();
    await register.close();
  };
  const all: HostServices = {
    ...services,
    userConfig,
    installer,
    ollama,
    acpRegistry,
    refreshAgents: () => agents.replace(listAgents(userConfig.config)),
    sessions,
    devices,
    pairing: new OneTimeCodes(pairing),
    pageCodes: new OneTimeCodes(openingPage),
    pusher,
    imports,
    fanOut,
    machines,
    threads: machines ?? register,
    replaceLog: (threadId, work) => sharing?.replaceLog(threadId, work) ?? work(),
    listening: null,
    close,
  };
  sharing?.takeRequests((message) => answerRemote(message, all));
  return all;
}

/** Undoes what an older version did to the repositories in which threads are. */
async function restoreRepositories(register: Register, onLine: (line: string) => void): Promise<void> {
  const { rows } = await register.query("facets.list", {});
  for (const { value } of rows.filter(({ facet }) => facet === "cwd"))
    for (const line of restoreGitSettings(value)) onLine(line);
}

async function openFolderRegister(folder: DataFolder): Promise<Register> {
  try {
    return await openRegister({ path: folder.database });
  } catch (error) {
    if (!(error instanceof RegisterError)) throw error;
    const running = error.code === "in_use" ? readRunningHost(folder) : null;
    const where = running === null ? "" : ` It is at ${running.url}.`;
    throw new StartError(`${error.message}${where}`, { cause: error });
  }
}
