// Starts the agent of a thread: from its config and the register to a session that takes prompts.
import { homedir } from "node:os";
import { type Config, ConfigError, type UserConfig } from "@signalbox/config";
import type { Json, ThreadRow } from "@signalbox/protocol";
import type { Register } from "@signalbox/tinyvex";
import type { ClientSessionParams, Editors } from "../acp/editors.ts";
import { SubAgentSessions } from "../acp/sub-agent-sessions.ts";
import type { ThreadContext } from "../acp/thread-context.ts";
import type { AgentActivity } from "../agents/agent-activity.ts";
import { QuirksInUse } from "../agents/agent-quirks.ts";
import type { AgentDefinition } from "../agents/registry.ts";
import { HostError } from "../data/host-error.ts";
import { ThreadPermissions } from "../permissions/thread-permissions.ts";
import { checkFolder } from "./check-folder.ts";
import { describeHistory } from "./describe-history.ts";
import { countKnownPrompts } from "./known-prompts.ts";
import { listChangedPaths } from "./list-changed-files.ts";
import { waitingTurns } from "./prompt-queue.ts";
import { Session } from "./session.ts";
import type { AgentSessionRequest, KnownThread, SessionSource } from "./session-options.ts";
import { SessionSandbox } from "./session-sandbox.ts";
import type { SessionServices } from "./session-services.ts";
import type { StartLimit } from "./start-limit.ts";
import { ThreadFolder } from "./thread-folder.ts";

interface StartRequest {
  readonly thread: ThreadRow;
  readonly definition: AgentDefinition;
  /** Undefined: as a client gave it for the thread before. */
  readonly opening: ClientSessionParams | undefined;
  readonly source: SessionSource;
  readonly activity: AgentActivity;
  readonly limit: StartLimit;
  readonly onStep: (step: string) => void;
  readonly onGone: () => void;
  /** Ends a start that is not wanted any more: an agent may never answer. */
  readonly signal: AbortSignal;
}

/** Throws, and leaves nothing running, when the agent cannot be started. */
export async function startSession(services: SessionServices, request: StartRequest): Promise<Session> {
  const { register, broker, elicitations, editors, ledger } = services;
  const { thread, activity, onGone, signal } = request;
  checkFolder(thread.cwd);
  const config = applyProjectConfig(services, thread);
  const permissions = new ThreadPermissions(broker, thread.id);
  // Closed with whatever fails here, until the session has them.
  await using unowned = new AsyncDisposableStack();
  const folder = unowned.adopt(await ThreadFolder.open(services, thread, config.worktree.setup), (each) =>
    each.close(),
  );
  const settings = { thread, definition: request.definition, config, turn: permissions.turn };
  const sandbox = unowned.use(await SessionSandbox.open(services, settings));
  const { definition, agentSandbox } = sandbox;
  const quirks = new QuirksInUse(definition);
  const context: ThreadContext = {
    place: { agentId: thread.agent_id, threadId: thread.id, cwd: thread.cwd, home: homedir() },
    register,
    editors,
    elicitations,
    permissions,
    sandbox,
    subAgents: new SubAgentSessions(),
    requests: activity.requests,
    readMissingFile: () => quirks.current.readMissingFile ?? "not_found",
  };
  sandbox.serve(context);
  const session = await Session.start({
    thread,
    context,
    folder,
    sandbox,
    agent: { definition, sandbox: agentSandbox, ledger, activity, quirks },
    opening: prepareOpening(services, request, sandbox),
    known: await readKnownThread(services, request),
    onGone,
    signal,
  });
  unowned.move();
  return session;
}

/** A project's rules are true for the threads in it. They are read when an agent starts. */
function applyProjectConfig(
  { userConfig, rules }: Pick<SessionServices, "userConfig" | "rules">,
  thread: ThreadRow,
): Config {
  // A file that is not committed is missing in a worktree, and its rules are true there too.
  const config = readProjectConfig(userConfig, thread.git?.project ?? thread.cwd);
  rules.setProject(
    thread.cwd,
    config.permissions.filter(({ source }) => source === "project"),
  );
  return config;
}

function prepareOpening(
  { register, editors, version }: Pick<SessionServices, "register" | "editors" | "version">,
  request: StartRequest,
  { clientCapabilities }: SessionSandbox,
): AgentSessionRequest {
  const { thread, source, limit, onStep } = request;
  const clientInfo = { name: "signalbox", title: "Signalbox", version };
  return {
    initialize: { protocolVersion: 1, clientCapabilities, clientInfo },
    given: chooseOpening(editors, request),
    source,
    limit,
    countKnownPrompts: () => countKnownPrompts(register, thread),
    onStep,
  };
}

/** Chooses what the agent's session is opened with, now and at each further start. A fork has what its parent has. */
function chooseOpening(editors: Editors, { thread, source, opening }: StartRequest): ClientSessionParams {
  const parent = thread.parent_thread_id === null ? undefined : editors.getOpening(thread.parent_thread_id);
  const { mcpServers, meta } = opening ?? editors.getOpening(thread.id) ?? parent ?? { mcpServers: [] };
  // `_meta` is for the agent that it was given for.
  const given = source.type === "hand_over" ? { mcpServers } : { mcpServers, meta };
  editors.keepOpening(thread.id, given);
  return given;
}

async function readKnownThread(
  { register, agents, checkpoints }: Pick<SessionServices, "register" | "agents" | "checkpoints">,
  request: StartRequest,
): Promise<KnownThread> {
  const { id } = request.thread;
  return {
    heldTurns: await waitingTurns(register, id),
    configOptions: await readConfigOptions(register, request),
    describeHistory: () =>
      describeHistory(
        { register, agents, listFiles: () => listChangedPaths({ register, checkpoints }, request.thread) },
        id,
      ),
  };
}

/** The options that the session had, as ACP has them; null where none are known. */
async function readConfigOptions(register: Register, { thread, source }: StartRequest): Promise<Json> {
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
