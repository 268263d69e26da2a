// Starts the agent of a thread: reads the project's rules, prepares the sandbox, and collects what the register knows of the thread.
import { homedir } from "node:os";
import { join } from "node:path";
import { type Config, ConfigError, secretVariables, type UserConfig } from "@signalbox/config";
import type { ThreadRow, ThreadSandbox } from "@signalbox/protocol";
import {
  cacheVariables,
  createPolicy,
  type Enforcement,
  goesByName,
  proveEnforcement,
  SessionLoopback,
} from "@signalbox/sandbox";
import type { Register } from "@signalbox/tinyvex";
import type { Editors, SessionOpening } from "../acp/editors.ts";
import { OpenPorts } from "../acp/open-ports.ts";
import { RefusedHosts } from "../acp/refused-hosts.ts";
import type { ServedThread } from "../acp/served-thread.ts";
import { SubAgentSessions } from "../acp/sub-agent-sessions.ts";
import type { AgentActivity } from "../agents/agent-activity.ts";
import { agentEnvironment } from "../agents/agent-environment.ts";
import { QuirksInUse } from "../agents/agent-quirks.ts";
import { capabilitiesFor } from "../agents/client-capabilities.ts";
import { encloseAgent } from "../agents/enclose-agent.ts";
import type { AgentDefinition } from "../agents/registry.ts";
import { HostError } from "../data/host-error.ts";
import { AskedCommands } from "../permissions/asked-commands.ts";
import { Grants } from "../permissions/grants.ts";
import { ToolCallsSeen } from "../permissions/tool-calls-seen.ts";
import { checkFolder } from "./check-folder.ts";
import { describeHistory } from "./describe-history.ts";
import type { SessionSource } from "./open-agent-session.ts";
import { waitingTurns } from "./prompt-queue.ts";
import { Session } from "./session.ts";
import type { SessionServices } from "./session-services.ts";
import type { StartLimit } from "./start-limit.ts";
import { readCredentials } from "./thread-credentials.ts";
import { hostsInEnvironment, ThreadDoor } from "./thread-door.ts";
import { ThreadFolder } from "./thread-folder.ts";
import { describeThreadSandbox, runsUnasked } from "./thread-sandbox.ts";
import { TurnSignal } from "./turn-signal.ts";

const messagesPerPage = 1000;

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
  const { mode, network, networkAllow, credentials, writable, asksCommands } = config.sandbox;
  // A fork in a new session has the options of its parent.
  const isToldFork = source.type === "own" && thread.session_id === null && thread.fork !== null;
  const optionsFrom = isToldFork && thread.parent_thread_id !== null ? thread.parent_thread_id : thread.id;
  const known = (await register.getThread(optionsFrom)) === null ? thread.id : optionsFrom;
  const { rows } = await register.query("state.get", { thread_id: known });
  const [state] = rows;
  // Where the user turned the sandbox off and this project wants one, it has one.
  const proven = await services.enforcement;
  const isOff = mode === "off";
  const enforcement = isOff === (proven.kind === "off") ? proven : await proveEnforcement({ off: isOff });
  const placement = encloseAgent({
    definition: options.definition,
    wanted: thread.sandbox_choice ?? config.agentSandbox[thread.agent_id],
    enforcement,
    env: process.env,
  });
  const definition =
    placement.type === "inside" ? withCaches(placement.definition, folder.path, enforcement) : options.definition;
  const turn = new TurnSignal();
  const quirks = new QuirksInUse(definition);
  // An agent's own variables name its servers, as its row does.
  const env = agentEnvironment(definition, process.env);
  const agentHosts = placement.type === "inside" ? [...placement.hosts, ...hostsInEnvironment(env)] : [];
  const describe = (modeId: string | null) =>
    withSentences(keysOutside.described, {
      definition,
      placement: placement.type === "inside" ? { ...placement, hosts: agentHosts } : placement,
      enforcement,
      mode,
      network,
      networkAllow,
      asksCommands,
      modeId,
    });
  const heldTurns = await waitingTurns(register, thread.id);
  const setup = thread.git?.worktree === undefined ? undefined : config.worktreeSetup;
  const isNew = setup !== undefined && !(await hasTurns(register, thread.id));
  const threadFolder = new ThreadFolder(services, thread, isNew ? setup : null);
  const byName = goesByName(enforcement) ? networkAllow : undefined;
  const keysOutside = await readCredentials(byName === undefined ? [] : credentials, services.keys, process.env);
  const door =
    byName === undefined
      ? undefined
      : await ThreadDoor.open({
          dataFolder: folder.path,
          threadId: thread.id,
          turn,
          allow: byName,
          agentHosts,
          credentials: keysOutside.credentials,
        });
  // Where there are no namespaces, each command has a loopback of its own, or none.
  const loopback = SessionLoopback.create(enforcement, join(folder.path, "run"), door?.network);
  const ports =
    loopback &&
    new OpenPorts(loopback, (port, is_open, by) => {
      register.append(thread.id, { type: "fact", fact: { type: "port_changed", port, is_open, by } });
    });
  // An agent that starts MCP servers in the sandbox lets them in itself, and one inside whose network goes by name is on it with all that it starts: so
  // it must be there. A command that it fails for says why.
  const joins = definition.commands === "in_our_sandbox" || (placement.type === "inside" && door !== undefined);
  const openingLoopback = joins ? loopback?.open().catch(() => undefined) : undefined;
  const closeNetwork = async () => {
    await ports?.[Symbol.asyncDispose]();
    await Promise.all([door?.close(), loopback?.[Symbol.asyncDispose]()]);
  };
  const caches = cacheVariables(folder.path);
  const policySettings = {
    mode: mode === "off" ? "rwx" : mode,
    network: door?.network ?? (network ? "on" : "off"),
    workspaceFolders: [thread.cwd, ...thread.additional_directories],
    dataFolder: folder.path,
    writable,
  } as const;
  let sandbox = describe(null);
  const served: ServedThread = {
    place: { agentId: thread.agent_id, threadId: thread.id, cwd: thread.cwd, home: homedir() },
    register,
    broker,
    elicitations,
    editors,
    grants: new Grants(),
    asked: new AskedCommands(),
    seen: new ToolCallsSeen(),
    subAgents: new SubAgentSessions(),
    policy: createPolicy(policySettings),
    enforcement,
    loopback,
    refusedHosts: new RefusedHosts(),
    ports,
    actsThroughHost: definition.commands === "in_our_terminals",
    runsUnasked:
      definition.commands === "in_our_sandbox" && runsUnasked({ enforcement, access: mode, network, asksCommands }),
    sandbox: () => sandbox,
    commandVariables: (use) => ({
      ...caches(use),
      ...(typeof use.policy.network === "string" ? {} : door?.variables),
    }),
    secretNames: secretVariables(config),
    requests: activity.requests,
    readMissingFile: () => quirks.current.readMissingFile ?? "not_found",
    turnSignal: () => turn.signal,
  };
  door?.serve(served);
  const sharedLoopback = await openingLoopback;
  const starting = Session.start({
    thread,
    folder: threadFolder,
    definition:
      placement.type === "inside" ? { ...definition, env: { ...definition.env, ...door?.variables } } : definition,
    version,
    opening: openingFor(editors, options),
    source,
    clientCapabilities: capabilitiesFor(enforcement, mode, {
      network,
      loopback: placement.type === "inside" ? undefined : sharedLoopback,
      byName: door && { hosts: door.network.hosts, variables: door.variables },
    }),
    describeSandbox: (modeId) => {
      sandbox = describe(modeId);
      return sandbox;
    },
    enclosure:
      placement.type === "inside"
        ? {
            enforcement: placement.enforcement,
            // An agent has to reach its model.
            policy: createPolicy({ ...policySettings, network: door?.network ?? "on", agent: placement.places }),
            loopback: sharedLoopback,
          }
        : undefined,
    ledger,
    turn,
    activity,
    limit,
    quirks,
    heldTurns,
    // Another agent has options of its own.
    configOptions: source.type === "hand_over" ? null : (state?.config_options ?? null),
    countKnownPrompts: () => countKnownPrompts(register, thread),
    describeHistory: () => describeHistory(register, thread.id, services.agents),
    onStep,
    onGone: () => {
      void closeNetwork();
      onGone();
    },
    signal,
    served,
  });
  // Before there is a process, nothing says that it is gone.
  starting.catch(closeNetwork);
  return await starting;
}

function withSentences(
  sentences: readonly string[],
  facts: Parameters<typeof describeThreadSandbox>[0],
): ThreadSandbox {
  const sandbox = describeThreadSandbox(facts);
  return { ...sandbox, detail: [sandbox.detail, ...sentences].join(" ") };
}

/** Inside, the usual caches of package managers and compilers are read-only. */
function withCaches(definition: AgentDefinition, dataFolder: string, enforcement: Enforcement): AgentDefinition {
  // An agent always has a network: it must reach its model.
  const caches = cacheVariables(dataFolder)({ enforcement, policy: { network: "on" } });
  return { ...definition, env: { ...definition.env, ...caches } };
}

/** A project's file that is wrong fails the threads in this project, and no others. */
function readProjectConfig(userConfig: UserConfig, cwd: string): Config {
  try {
    return userConfig.inProject(cwd).config;
  } catch (error) {
    throw error instanceof ConfigError ? new HostError("bad_request", error.message, { cause: error }) : error;
  }
}

async function hasTurns(register: Register, threadId: string): Promise<boolean> {
  const { rows } = await register.query("turns.list", { thread_id: threadId, limit: 1 });
  return rows.some(({ started_at }) => started_at !== null);
}

/** The prompts in the register, so that a replay can be told from news. A fork also has those of the thread it came from. */
async function countKnownPrompts(register: Register, thread: ThreadRow): Promise<number> {
  let count = await countPrompts(register, thread.id, Number.POSITIVE_INFINITY);
  let child = thread;
  while (child.parent_thread_id !== null) {
    const parent = await register.getThread(child.parent_thread_id);
    // The agent of such a fork never had the parent's prompts as prompts.
    if (parent === null || child.fork?.by === "told") break;
    count += await countPrompts(register, parent.id, child.created_at);
    child = parent;
  }
  return count;
}

async function countPrompts(register: Register, threadId: string, until: number): Promise<number> {
  let count = 0;
  let cursor: string | undefined;
  do {
    const args = { thread_id: threadId, limit: messagesPerPage, ...(cursor === undefined ? {} : { cursor }) };
    const { rows, next_cursor } = await register.query("messages.list", args);
    count += rows.filter(({ role, created_at }) => role === "user" && created_at <= until).length;
    cursor = next_cursor;
  } while (cursor !== undefined);
  return count;
}
