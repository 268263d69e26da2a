// Starts the agent of a thread: reads the project's rules, prepares sandbox and network, and collects what the register knows of the thread.
import { homedir } from "node:os";
import { type Config, ConfigError, secretVariables, type UserConfig } from "@signalbox/config";
import type { Json, ThreadRow } from "@signalbox/protocol";
import { cacheVariables, createPolicy } from "@signalbox/sandbox";
import type { Register } from "@signalbox/tinyvex";
import type { Editors, SessionOpening } from "../acp/editors.ts";
import { RefusedHosts } from "../acp/refused-hosts.ts";
import type { ServedThread } from "../acp/served-thread.ts";
import { SubAgentSessions } from "../acp/sub-agent-sessions.ts";
import type { AgentActivity } from "../agents/agent-activity.ts";
import { QuirksInUse } from "../agents/agent-quirks.ts";
import { makeCapabilities } from "../agents/client-capabilities.ts";
import type { AgentDefinition } from "../agents/registry.ts";
import { HostError } from "../data/host-error.ts";
import { QuestionHistory } from "../permissions/question-history.ts";
import { ToolCallIndex } from "../permissions/tool-call-index.ts";
import { TurnGrants } from "../permissions/turn-grants.ts";
import { checkFolder } from "./check-folder.ts";
import { describeHistory } from "./describe-history.ts";
import { countKnownPrompts, hasTurns } from "./known-prompts.ts";
import type { SessionSource } from "./open-agent-session.ts";
import { placeAgent } from "./place-agent.ts";
import { waitingTurns } from "./prompt-queue.ts";
import { Session } from "./session.ts";
import type { SessionServices } from "./session-services.ts";
import type { StartLimit } from "./start-limit.ts";
import { ThreadFolder } from "./thread-folder.ts";
import { ThreadNetwork } from "./thread-network.ts";
import { canAutoAllowSandboxed } from "./thread-sandbox.ts";
import { TurnSignal } from "./turn-signal.ts";

interface StartSessionOptions {
  readonly thread: ThreadRow;
  readonly definition: AgentDefinition;
  /** Undefined: what a client gave for the thread before. */
  readonly opening: SessionOpening | undefined;
  readonly source: SessionSource;
  readonly activity: AgentActivity;
  readonly limit: StartLimit;
  readonly onStep: (step: string) => void;
  readonly onGone: () => void;
  /** Ends a start that is not wanted any more: an agent may never answer. */
  readonly signal: AbortSignal;
}

/** What the agent's session is opened with, now and at each further start. A fork has what its parent has. */
function openingFor(editors: Editors, { thread, source, opening }: StartSessionOptions): SessionOpening {
  const parent = thread.parent_thread_id === null ? undefined : editors.openingOf(thread.parent_thread_id);
  const { mcpServers, meta } = opening ?? editors.openingOf(thread.id) ?? parent ?? { mcpServers: [] };
  // `_meta` is for the agent that it was given for.
  const given = source.type === "hand_over" ? { mcpServers } : { mcpServers, meta };
  editors.keepOpening(thread.id, given);
  return given;
}

/** Throws, and leaves nothing running, when the agent cannot be started. */
export async function startSession(services: SessionServices, options: StartSessionOptions): Promise<Session> {
  const { register, userConfig, rules, broker, elicitations, editors, folder, version, ledger } = services;
  const { thread, source, activity, limit, onStep, onGone, signal } = options;
  checkFolder(thread.cwd);
  // A file that is not committed is missing in a worktree, and its rules hold there too.
  const config = readProjectConfig(userConfig, thread.git?.project ?? thread.cwd);
  // A project's rules hold for the threads in it. They are read when an agent starts.
  rules.setProject(
    thread.cwd,
    config.permissions.filter(({ source: from }) => from === "project"),
  );
  const configOptions = await knownConfigOptions(register, options);
  const { mode, writable, ask_commands: asksCommands } = config.sandbox;
  const { enforcement, definition, inside, hosts, describe } = await placeAgent(
    services,
    config,
    thread,
    options.definition,
  );
  const heldTurns = await waitingTurns(register, thread.id);
  const setup = thread.git?.worktree === undefined ? undefined : config.worktree.setup;
  const isNew = setup !== undefined && !(await hasTurns(register, thread.id));
  const turn = new TurnSignal();
  const quirks = new QuirksInUse(definition);
  // Closed with whatever fails here, until the session has them.
  await using unowned = new AsyncDisposableStack();
  const threadFolder = unowned.adopt(new ThreadFolder(services, thread, isNew ? setup : null), (each) => each.close());
  const network = unowned.use(
    await ThreadNetwork.open({
      dataFolder: folder.path,
      enforcement,
      turn,
      config: config.sandbox,
      keys: services.keys,
      agentHosts: hosts,
      onPortChanged: (port, is_open, by) =>
        register.append(thread.id, { type: "fact", fact: { type: "port_changed", port, is_open, by } }),
    }),
  );
  // An agent that starts MCP servers in the sandbox lets them in itself, and one inside whose network goes by name is on it with all that it starts: so
  // it must be there.
  const joins = definition.commands === "in_our_sandbox" || (inside !== undefined && network.byName !== undefined);
  const openingLoopback = joins ? network.openLoopback() : undefined;
  const caches = cacheVariables(folder.path);
  const policySettings = {
    mode: mode === "off" ? "rwx" : mode,
    network: network.access,
    workspaceFolders: [thread.cwd, ...thread.additional_directories],
    dataFolder: folder.path,
    writable,
  } as const;
  const describeSandbox = (modeId: string | null) => {
    const described = describe(modeId);
    return { ...described, detail: [described.detail, ...network.credentialsDescribed].join(" ") };
  };
  let sandbox = describeSandbox(null);
  const served: ServedThread = {
    place: { agentId: thread.agent_id, threadId: thread.id, cwd: thread.cwd, home: homedir() },
    register,
    broker,
    elicitations,
    editors,
    turnGrants: new TurnGrants(),
    questionHistory: new QuestionHistory(),
    toolCalls: new ToolCallIndex(),
    subAgents: new SubAgentSessions(),
    policy: createPolicy(policySettings),
    enforcement,
    loopback: network.loopback,
    refusedHosts: new RefusedHosts(),
    actsThroughHost: definition.commands === "in_our_terminals",
    autoAllowSandboxed:
      definition.commands === "in_our_sandbox" &&
      canAutoAllowSandboxed({ enforcement, access: mode, network: config.sandbox.network.isOpen, asksCommands }),
    sandbox: () => sandbox,
    commandVariables: (use) => ({
      ...caches(use),
      ...(typeof use.policy.network === "string" ? {} : network.variables),
    }),
    secretNames: secretVariables(config),
    requests: activity.requests,
    readMissingFile: () => quirks.current.readMissingFile ?? "not_found",
    turnSignal: () => turn.signal,
  };
  network.serve(served);
  // An agent has to reach its model.
  const agentNetwork = typeof network.access === "string" ? "on" : network.access;
  const enclosure = inside && {
    enforcement: inside.enforcement,
    policy: createPolicy({ ...policySettings, network: agentNetwork, agent: inside.places }),
    loopback: await openingLoopback,
  };
  const session = await Session.start({
    thread,
    folder: threadFolder,
    definition: inside ? { ...definition, env: { ...definition.env, ...network.variables } } : definition,
    version,
    opening: openingFor(editors, options),
    source,
    clientCapabilities: makeCapabilities(enforcement, mode, {
      network: config.sandbox.network.isOpen,
      loopback: inside ? undefined : await openingLoopback,
      byName: network.byName,
    }),
    describeSandbox: (modeId) => {
      sandbox = describeSandbox(modeId);
      return sandbox;
    },
    enclosure,
    ledger,
    network,
    turn,
    activity,
    limit,
    quirks,
    heldTurns,
    configOptions,
    countKnownPrompts: () => countKnownPrompts(register, thread),
    describeHistory: () => describeHistory(register, thread.id, services.agents),
    onStep,
    onGone,
    signal,
    served,
  });
  unowned.move();
  return session;
}

/** The options that the session had, as ACP has them; null where none are known. */
async function knownConfigOptions(register: Register, { thread, source }: StartSessionOptions): Promise<Json> {
  // Another agent has options of its own.
  if (source.type === "hand_over") return null;
  // A fork begins with the options of its parent.
  const isNewFork = thread.session_id === null && thread.fork !== null;
  const optionsFrom = isNewFork && thread.parent_thread_id !== null ? thread.parent_thread_id : thread.id;
  const known = (await register.getThread(optionsFrom)) === null ? thread.id : optionsFrom;
  const { rows } = await register.query("state.get", { thread_id: known });
  return rows[0]?.config_options ?? null;
}

/** A project's file that is wrong fails the threads in this project, and no others. */
function readProjectConfig(userConfig: UserConfig, cwd: string): Config {
  try {
    return userConfig.inProject(cwd).config;
  } catch (error) {
    throw error instanceof ConfigError ? new HostError("bad_request", error.message, { cause: error }) : error;
  }
}
