// Opens an agent's session over a started connection: a new one, the thread's earlier one, one that the agent lists, or a fork.
import { methods } from "@agentclientprotocol/sdk";
import { isJsonObject, type Json, type JsonObject, type SessionStarted } from "@signalbox/protocol";
import { readsComments } from "@signalbox/tool-calls";
import type { AgentConnection } from "../agents/agent-connection.ts";
import { isLoginError, makeLogInError } from "../agents/log-in.ts";
import type { AgentDefinition } from "../agents/registry.ts";
import { HostError } from "../data/host-error.ts";
import { ReplayFilter } from "./replay-filter.ts";
import type { SessionOptions, SessionSource } from "./session-options.ts";
import { isNoAnswer } from "./start-limit.ts";

/** Not in the stable part of the protocol yet, but several agents have it. */
const forkMethod = "session/fork";
const unarchiveMethod = "session/unarchive";

interface OpenSessionOptions extends Pick<SessionOptions, "thread" | "opening"> {
  readonly definition: AgentDefinition;
  /** Called with a filter for the updates when the agent begins to replay a session, and with null at the end. */
  readonly onReplay: (filter: ReplayFilter | null) => void;
  /** Called with the agent's own name and version. */
  readonly onIdentified: (agentInfo: Json | undefined) => void;
}

/** What the agent says that it can do, beyond running prompts. */
export interface AgentAbilities {
  readonly readsComments: boolean;
  /** It takes text into a running turn. */
  readonly steering: boolean;
  /** It takes a model for one prompt. */
  readonly promptModel: boolean;
  /** It copies a session before any prompt that was sent with the id of its turn. */
  readonly forkBefore: boolean;
  readonly close: boolean;
  readonly delete: boolean;
  /** It keeps the title that a person gave, and whether the session is archived. Not in the stable part of the protocol yet. */
  readonly title: boolean;
  readonly archive: boolean;
}

/** Of an agent that has not said what it can. */
export const noAbilities: AgentAbilities = {
  readsComments: false,
  steering: false,
  promptModel: false,
  forkBefore: false,
  close: false,
  delete: false,
  title: false,
  archive: false,
};

interface OpenedSession {
  readonly sessionId: string;
  /** False: the agent has no memory of what is in the register. */
  readonly isResumed: boolean;
  /** How a fork was made. */
  readonly forked?: Pick<SessionStarted, "forked_by">;
  /** The agent's answer: modes, config options, and whatever else it sent. */
  readonly answer: JsonObject;
}

/** Throws a HostError with the ways to log in when the agent asks for a log-in. */
export async function openAgentSession(
  connection: AgentConnection,
  options: OpenSessionOptions,
): Promise<OpenedSession & { readonly abilities: AgentAbilities }> {
  const { definition, opening } = options;
  const step = `Starting ${definition.label} …`;
  const { initialize } = methods.agent;
  const initialized = await ask<JsonObject>(connection, options, step, initialize, opening.initialize);
  options.onIdentified(initialized.agentInfo);
  const capabilities = isJsonObject(initialized.agentCapabilities) ? initialized.agentCapabilities : {};
  try {
    const abilities = readAbilities(initialized, capabilities);
    return { ...(await open(connection, options, capabilities, abilities)), abilities };
  } catch (error) {
    throw isLoginError(error) ? makeLogInError(definition, initialized.authMethods, causeMessage(error)) : error;
  }
}

async function open(
  connection: AgentConnection,
  options: OpenSessionOptions,
  capabilities: JsonObject,
  { forkBefore }: AgentAbilities,
): Promise<OpenedSession> {
  const { thread, opening } = options;
  const { source } = opening;
  switch (source.type) {
    case "fork": {
      const canCopy = hasCapability(capabilities, "fork") && (source.beforeTurn === undefined || forkBefore);
      const copy = canCopy ? await fork(connection, options, source, capabilities) : null;
      return copy ?? { ...(await openNew(connection, options, capabilities)), forked: { forked_by: "told" } };
    }
    case "adopt":
      return await adopt(connection, options, source.sessionId, capabilities);
    case "hand_over":
    case "own": {
      const resumed =
        source.type === "hand_over" || thread.session_id === null
          ? null
          : await resume(connection, options, thread.session_id, capabilities);
      if (resumed !== null) return resumed;
      return await openNew(connection, options, capabilities);
    }
  }
}

async function openNew(
  connection: AgentConnection,
  options: OpenSessionOptions,
  capabilities: JsonObject,
): Promise<OpenedSession> {
  const { source } = options.opening;
  const { model } = source.type === "own" ? source : {};
  const { _meta, ...place } = makeParams(options, capabilities);
  // Our own agent needs the model before there is a session: it says which provider to use.
  const all = { ..._meta, ...(model === undefined ? {} : { "signalbox/model": model }) };
  const created = await create(connection, options, "Opening a session …", methods.agent.session.new, {
    ...place,
    ...(Object.keys(all).length === 0 ? {} : { _meta: all }),
  });
  return { ...created, isResumed: false };
}

/** Null where the agent knows nothing from before that turn: an earlier session had it. */
async function fork(
  connection: AgentConnection,
  options: OpenSessionOptions,
  { sessionId, beforeTurn }: SessionSource & { readonly type: "fork" },
  capabilities: JsonObject,
): Promise<OpenedSession | null> {
  const { _meta, ...place } = makeParams(options, capabilities);
  const all = { ..._meta, ...(beforeTurn === undefined ? {} : { "signalbox/before_prompt": beforeTurn }) };
  const params = { sessionId, ...place, ...(Object.keys(all).length === 0 ? {} : { _meta: all }) };
  try {
    const forked = await create(connection, options, "Forking the session …", forkMethod, params);
    return { ...forked, isResumed: true, forked: { forked_by: "agent" } };
  } catch (error) {
    if (beforeTurn === undefined || connection.isGone || isNoAnswer(error)) throw error;
    return null;
  }
}

/** Prefers `load` over `resume`: only `load` sends the history. */
async function adopt(
  connection: AgentConnection,
  options: OpenSessionOptions,
  sessionId: string,
  capabilities: JsonObject,
): Promise<OpenedSession> {
  const { definition } = options;
  const canLoad = capabilities.loadSession === true;
  if (!canLoad && !hasCapability(capabilities, "resume")) {
    throw new HostError("bad_request", `${definition.label} cannot resume a session.`);
  }
  const { load, resume: resumeMethod } = methods.agent.session;
  const params = { sessionId, ...makeParams(options, capabilities) };
  const answer = await ask<JsonObject | null>(connection, options, resuming, canLoad ? load : resumeMethod, params);
  return { sessionId, isResumed: true, answer: answer ?? {} };
}

/** Null where the agent cannot resume, or does not know the session any more. Throws when the agent is gone. */
async function resume(
  connection: AgentConnection,
  options: OpenSessionOptions,
  sessionId: string,
  capabilities: JsonObject,
): Promise<OpenedSession | null> {
  const { onReplay, opening } = options;
  const canResume = hasCapability(capabilities, "resume");
  if (!canResume && capabilities.loadSession !== true) return null;
  const { resume: resumeMethod, load } = methods.agent.session;
  // Asked of any session: for one that is not archived it changes nothing.
  if (hasCapability(capabilities, "archive")) {
    await connection.request(unarchiveMethod, { sessionId }).catch(() => {});
  }
  onReplay(new ReplayFilter(canResume ? Number.POSITIVE_INFINITY : await opening.countKnownPrompts()));
  try {
    const params = { sessionId, ...makeParams(options, capabilities) };
    const method = canResume ? resumeMethod : load;
    const answer = await ask<JsonObject | null>(connection, options, resuming, method, params);
    return { sessionId, isResumed: true, answer: answer ?? {} };
  } catch (error) {
    // A process that died or does not answer has no other session either.
    if (connection.isGone || isNoAnswer(error)) throw error;
    return null;
  } finally {
    onReplay(null);
  }
}

async function create(
  connection: AgentConnection,
  options: OpenSessionOptions,
  step: string,
  method: string,
  params: object,
): Promise<{ readonly sessionId: string; readonly answer: JsonObject }> {
  const { definition } = options;
  const answer = await ask<JsonObject>(connection, options, step, method, params);
  if (typeof answer.sessionId === "string") return { sessionId: answer.sessionId, answer };
  throw new HostError("agent_failed", `${definition.label} answered ${method} without a sessionId.`);
}

const resuming = "Resuming the session …";

/** Sends a request of the start. Throws when the agent does not answer in time. */
function ask<Result>(
  connection: AgentConnection,
  { definition, opening: { limit, onStep } }: OpenSessionOptions,
  step: string,
  method: string,
  params: object,
): Promise<Result> {
  onStep(step);
  return limit.within(definition.label, method, step, () => connection.request<Result>(method, params));
}

/** Throws when the thread has several folders and the agent cannot work in more than one. */
function makeParams({ thread, opening, definition }: OpenSessionOptions, capabilities: JsonObject) {
  const { cwd, additional_directories: additionalDirectories } = thread;
  const { mcpServers, meta: _meta } = opening.given;
  const params = { cwd, mcpServers, ...(_meta === undefined ? {} : { _meta }) };
  if (additionalDirectories.length === 0) return params;
  if (!hasCapability(capabilities, "additionalDirectories")) {
    throw new HostError(
      "bad_request",
      `${definition.label} works in one folder only. Begin the thread without further folders.`,
    );
  }
  return { ...params, additionalDirectories };
}

function readAbilities({ _meta }: JsonObject, capabilities: JsonObject): AgentAbilities {
  return {
    readsComments: readsComments(capabilities),
    steering: offersSteering(_meta) || offersSteering(capabilities._meta),
    promptModel: isJsonObject(_meta) && _meta["signalbox/prompt_model"] === true,
    forkBefore: isJsonObject(_meta) && _meta["signalbox/fork_before"] === true,
    close: hasCapability(capabilities, "close"),
    delete: hasCapability(capabilities, "delete"),
    title: hasCapability(capabilities, "title"),
    archive: hasCapability(capabilities, "archive"),
  };
}

/** Agents say it in the `_meta` of their answer to `initialize`, some in that of their capabilities. */
function offersSteering(meta: Json | undefined): boolean {
  return isJsonObject(meta) && isJsonObject(meta.steering) && meta.steering.supported === true;
}

type SessionCapability = "fork" | "resume" | "close" | "delete" | "additionalDirectories" | "title" | "archive";

/** An agent declares a capability with an object, usually an empty one. */
function hasCapability(capabilities: JsonObject, name: SessionCapability): boolean {
  const { sessionCapabilities } = capabilities;
  const declared = isJsonObject(sessionCapabilities) ? sessionCapabilities[name] : undefined;
  return declared !== undefined && declared !== null && declared !== false;
}

/** The agent's own message, without the host's text around it. */
function causeMessage(error: unknown): string | null {
  const cause = error instanceof HostError ? error.cause : null;
  return cause instanceof Error ? cause.message : null;
}
