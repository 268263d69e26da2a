// Answers the requests of ACP clients about sessions, one function per method. A session is a thread: its id is the thread's.
import { randomUUID } from "node:crypto";
import { methods } from "@agentclientprotocol/sdk";
import {
  type ContentBlock,
  isContentBlock,
  isJsonObject,
  type Json,
  type JsonObject,
  readObjects,
  readText,
  type TurnRow,
  toFields,
} from "@signalbox/protocol";
import type { ClientSessionParams } from "../acp/editors.ts";
import { HostError } from "../data/host-error.ts";
import { refuseOverBudget } from "../sessions/budgets.ts";
import { steeringMethod } from "../sessions/session.ts";
import type { AcpServices } from "./acp-services.ts";
import type { Attachment } from "./attachment.ts";
import { type ClientKnowledge, filterOptions } from "./client-updates.ts";
import { type Position, readPosition } from "./position.ts";
import type { TurnEnd } from "./prompt-ends.ts";
import { badParams, failure } from "./request-errors.ts";

/** The client that asks. */
export interface AttachedClient {
  readonly services: AcpServices;
  /** The agent of its new threads. */
  readonly agentId: string | null;
  readonly knows: ClientKnowledge;
  /** The connection is closed: no answer arrives. */
  readonly isGone: boolean;
  /** The thread that the first `session/new` gives; null for every further one. */
  takeFirstThread(): string | null;
  /** Runs when the answer to a request was sent. */
  afterAnswer(requestId: unknown, work: () => void): void;
  attachment(threadId: string): Attachment | undefined;
  /** Attaches it, in place of an earlier attachment to this thread. */
  attach(threadId: string, after: Position): Attachment;
  detach(threadId: string): void;
}

interface RequestContext {
  readonly requestId: unknown;
  /** Aborts when the client takes the request back, or is gone. */
  readonly signal: AbortSignal;
}

export type SessionRequest = (client: AttachedClient, params: JsonObject, asked: RequestContext) => Promise<object>;

const defaultAgent = "signalbox";
const sessionsPerPage = 50;
const archiveFilters: ReadonlySet<string> = new Set(["exclude", "include", "only"]);
/** Begins a cursor that has come to the archived sessions. */
const archivePrefix = "archived:";
const signalboxMeta: ReadonlySet<string> = new Set([
  "signalbox/promptId",
  "signalbox/agent",
  "signalbox/afterSeq",
  "signalbox/afterOffset",
]);
const { session } = methods.agent;

export const sessionRequests: Readonly<Record<string, SessionRequest>> = {
  [session.new]: newSession,
  [session.load]: loadSession,
  [session.resume]: resumeSession,
  [session.list]: listSessions,
  // Not in the stable part of the protocol yet.
  "session/fork": forkSession,
  "session/set_title": setTitle,
  "session/archive": archiveSession,
  "session/unarchive": unarchiveSession,
  "session/status": sessionStatus,
  [session.close]: closeSession,
  [session.delete]: deleteSession,
  [session.prompt]: runPrompt,
  // Not in ACP, but in several agents.
  [steeringMethod]: steerTurn,
  [session.setMode]: setMode,
  [session.setConfigOption]: setConfigOption,
};

async function newSession(client: AttachedClient, params: JsonObject, { requestId }: RequestContext): Promise<object> {
  const { cwd, additionalDirectories } = params;
  if (typeof cwd !== "string") throw badParams("cwd must be a text: the folder to work in.");
  const first = client.takeFirstThread();
  if (first !== null) {
    keepOpening(client, first, params);
    return await openThread(client, first, { seq: 0 }, requestId);
  }
  const { mcpServers, meta } = readOpening(params);
  const { id } = await client.services.sessions.create({
    agent_id: readAgent(params) ?? client.agentId ?? defaultAgent,
    cwd,
    mcp_servers: mcpServers,
    additional_directories: Array.isArray(additionalDirectories) ? additionalDirectories.filter(isText) : [],
    meta,
  });
  return await openThread(client, id, { seq: 0 }, requestId);
}

/** The history comes before the answer. */
async function loadSession(client: AttachedClient, params: JsonObject): Promise<object> {
  const threadId = await findThreadId(client, params);
  keepOpening(client, threadId, params);
  const attachment = client.attach(threadId, readPosition(params._meta) ?? { seq: 0 });
  await attachment.start();
  const state = await readState(client, threadId);
  return { ...state, _meta: { ...readMeta(state), "signalbox/seq": attachment.seq } };
}

/** Without a position the client gets what comes from now on. */
async function resumeSession(
  client: AttachedClient,
  params: JsonObject,
  { requestId }: RequestContext,
): Promise<object> {
  const threadId = await findThreadId(client, params);
  keepOpening(client, threadId, params);
  const { sessionId: _, ...state } = await openThread(client, threadId, readPosition(params._meta), requestId);
  return state;
}

async function forkSession(client: AttachedClient, params: JsonObject, { requestId }: RequestContext): Promise<object> {
  const { id } = await client.services.sessions.fork(await findThreadId(client, params));
  keepOpening(client, id, params);
  return await openThread(client, id, { seq: 0 }, requestId);
}

/** `include` lists the archived ones after the others. */
async function listSessions({ services, agentId }: AttachedClient, params: JsonObject): Promise<object> {
  const { cwd, cursor, archived: which } = params;
  const place = typeof cursor === "string" ? cursor : "";
  const isInArchive = place.startsWith(archivePrefix);
  const archived = which === "only" || isInArchive;
  if (typeof which === "string" && !archiveFilters.has(which)) {
    throw badParams(`archived must be one of: ${[...archiveFilters].join(", ")}.`);
  }
  const from = isInArchive ? place.slice(archivePrefix.length) : place;
  const { rows, next_cursor } = await services.register.query("threads.list", {
    limit: sessionsPerPage,
    archived,
    ...(typeof cwd === "string" ? { cwd } : {}),
    ...(from === "" ? {} : { cursor: from }),
    ...(agentId === null ? {} : { agent_id: agentId }),
  });
  const sessions = rows.map(
    ({ id, cwd: folder, additional_directories: more, title, updated_at, agent_id, status }) => ({
      sessionId: id,
      cwd: folder,
      ...(more.length === 0 ? {} : { additionalDirectories: more }),
      title,
      updatedAt: new Date(updated_at).toISOString(),
      archived,
      _meta: { "signalbox/agent": agent_id, "signalbox/status": status },
    }),
  );
  const following = next_cursor === undefined ? undefined : `${isInArchive ? archivePrefix : ""}${next_cursor}`;
  const next = following ?? (which === "include" && !archived ? archivePrefix : undefined);
  return next === undefined ? { sessions } : { sessions, nextCursor: next };
}

/** Ends the thread's agent, unless another client is attached: for that one it goes on. */
async function closeSession(client: AttachedClient, params: JsonObject): Promise<object> {
  const threadId = await findThreadId(client, params);
  client.detach(threadId);
  if (!client.services.editors.isAttached(threadId)) await client.services.sessions.close(threadId);
  return {};
}

async function setTitle(client: AttachedClient, params: JsonObject): Promise<object> {
  const threadId = await findThreadId(client, params);
  const title = typeof params.title === "string" ? params.title.trim() : "";
  if (title === "") throw badParams("title must be a text that is not empty.");
  await client.services.sessions.update(threadId, { title });
  return { title };
}

/** Also closes it, as ACP has it: for every client. */
async function archiveSession(client: AttachedClient, params: JsonObject): Promise<object> {
  const threadId = await findThreadId(client, params);
  client.detach(threadId);
  await client.services.sessions.update(threadId, { archived: true });
  await client.services.sessions.close(threadId);
  return {};
}

async function unarchiveSession(client: AttachedClient, params: JsonObject): Promise<object> {
  await client.services.sessions.update(await findThreadId(client, params), { archived: false });
  return {};
}

async function sessionStatus(client: AttachedClient, params: JsonObject): Promise<object> {
  return { status: client.services.sessions.running(await findThreadId(client, params)) !== null ? "open" : "saved" };
}

async function deleteSession(client: AttachedClient, params: JsonObject): Promise<object> {
  const threadId = await findThreadId(client, params);
  client.detach(threadId);
  await client.services.sessions.delete(threadId);
  return {};
}

async function runPrompt(client: AttachedClient, params: JsonObject, { signal }: RequestContext): Promise<object> {
  const { _meta } = params;
  const prompt = readPrompt(params);
  const threadId = await findThreadId(client, params);
  const attachment = client.attachment(threadId) ?? (await follow(client, threadId));
  const { sessions } = client.services;
  const promptId = readPromptId(_meta) ?? randomUUID();
  const end = attachment.expect(promptId);
  // The client may be gone before the turn ends.
  end.catch(() => {});
  const onAbort = () => {
    if (!client.isGone) void sessions.cancel(threadId).catch(() => {});
  };
  signal.addEventListener("abort", onAbort);
  try {
    const before = await findTurn(client, threadId, promptId);
    if (before === undefined) await sessions.submit(threadId, promptId, prompt, { meta: metaForAgent(_meta) });
    else if (before.ended_at === null) attachment.expectTurn(promptId, before.turn_id);
    // A prompt that was sent before, over a connection that broke, may have ended: then nothing more is heard of it.
    const ended = before === undefined ? undefined : await findTurn(client, threadId, promptId);
    return makeAnswer(ended === undefined || ended.ended_at === null ? await end : endOfTurn(ended), attachment.seq);
  } finally {
    attachment.forget(promptId);
    signal.removeEventListener("abort", onAbort);
  }
}

/** Text for the running turn. Where no turn takes it, it stays with a client that wants so; of any other client it is a prompt. */
async function steerTurn(client: AttachedClient, params: JsonObject): Promise<object> {
  const { _meta } = params;
  const prompt = readPrompt(params);
  const threadId = await findThreadId(client, params);
  const { sessions, register } = client.services;
  const attachment = client.attachment(threadId);
  const promptId = readPromptId(_meta) ?? randomUUID();
  // Nothing waits for its end; but the client is not sent its own text.
  attachment?.expect(promptId).catch(() => {});
  try {
    if (!keepsUnsteered(_meta)) {
      // The same one sent twice runs once.
      const { queued, steered } = await sessions.submit(threadId, promptId, prompt, { steers: true });
      if (steered === true) return { outcome: "injected" };
      return { outcome: "startedNewTurn", _meta: { "signalbox/queued": queued } };
    }
    await refuseOverBudget(client.services);
    const running = sessions.running(threadId);
    if (running !== null && (await running.steer(promptId, prompt)) !== null) {
      await register.settled(threadId);
      return { outcome: "injected" };
    }
    attachment?.forget(promptId);
    return { outcome: "promptRequired", reason: running?.isBusy === true ? "notTaken" : "noRunningTurn" };
  } catch (error) {
    attachment?.forget(promptId);
    throw error;
  }
}

async function setMode(client: AttachedClient, params: JsonObject): Promise<object> {
  const threadId = await findThreadId(client, params);
  if (typeof params.modeId !== "string") throw badParams("modeId must be a text.");
  await client.services.sessions.setMode(threadId, params.modeId);
  return {};
}

async function setConfigOption(client: AttachedClient, params: JsonObject): Promise<object> {
  const threadId = await findThreadId(client, params);
  const { configId, value } = params;
  if (typeof configId !== "string" || value === undefined) throw badParams("configId and value must be given.");
  await client.services.sessions.setConfigOption(threadId, configId, value);
  const { configOptions = [] } = await readState(client, threadId);
  return { configOptions };
}

/** Answers with the thread's state; its updates follow the answer. */
async function openThread(
  client: AttachedClient,
  threadId: string,
  after: Position | undefined,
  requestId: unknown,
): Promise<{ readonly sessionId: string } & JsonObject> {
  const thread = await client.services.register.getThread(threadId);
  if (thread === null) throw noThread(threadId);
  const { last_seq: seq, agent_id: agent } = thread;
  const attachment = client.attach(threadId, after ?? { seq });
  client.afterAnswer(requestId, () => void attachment.start());
  const state = await readState(client, threadId);
  const _meta = { ...readMeta(state), "signalbox/seq": seq, "signalbox/agent": agent };
  return { ...state, sessionId: threadId, _meta };
}

/** A client that sends a prompt to a thread that it did not open follows it from now on. */
async function follow(client: AttachedClient, threadId: string): Promise<Attachment> {
  const thread = await client.services.register.getThread(threadId);
  const attachment = client.attach(threadId, { seq: thread?.last_seq ?? 0 });
  await attachment.start();
  return attachment;
}

async function readState({ services, knows }: AttachedClient, threadId: string): Promise<JsonObject> {
  const { rows } = await services.register.query("state.get", { thread_id: threadId });
  const { modes, config_options: configOptions, current_mode_id: currentModeId, more } = rows[0] ?? {};
  const current = typeof currentModeId === "string" ? { currentModeId } : {};
  return {
    ...more,
    ...(isJsonObject(modes) ? { modes: { ...modes, ...current } } : {}),
    ...(Array.isArray(configOptions) ? { configOptions: filterOptions(knows, configOptions) } : {}),
  };
}

async function findTurn(client: AttachedClient, threadId: string, promptId: string): Promise<TurnRow | undefined> {
  const args = { thread_id: threadId, prompt_id: promptId, limit: 1 };
  const { rows } = await client.services.register.query("turns.list", args);
  return rows[0];
}

async function findThreadId({ services }: AttachedClient, { sessionId }: JsonObject): Promise<string> {
  if (typeof sessionId !== "string") throw badParams("sessionId must be a text.");
  if ((await services.register.getThread(sessionId)) === null) throw noThread(sessionId);
  return sessionId;
}

function isText(value: Json): value is string {
  return typeof value === "string";
}

function noThread(sessionId: string): HostError {
  return new HostError("not_found", `There is no session ${sessionId}.`, { details: { sessionId } });
}

function readPrompt({ prompt }: JsonObject): readonly ContentBlock[] {
  if (Array.isArray(prompt) && prompt.every(isContentBlock)) return prompt;
  throw badParams("prompt must be a list of content blocks.");
}

/** The client sends text that no turn took as a prompt itself. */
function keepsUnsteered(meta: Json | undefined): boolean {
  return isJsonObject(meta) && toFields(meta.steering).idleBehavior === "promptRequired";
}

function readAgent({ _meta }: JsonObject): string | undefined {
  return readText(_meta, "signalbox/agent") ?? undefined;
}

function readPromptId(meta: Json | undefined): string | undefined {
  return readText(meta, "signalbox/promptId") ?? undefined;
}

function readMeta(answer: JsonObject | undefined): JsonObject {
  return isJsonObject(answer?._meta) ? answer._meta : {};
}

/** What is not for Signalbox itself. */
function metaForAgent(meta: Json | undefined): JsonObject | undefined {
  if (!isJsonObject(meta)) return undefined;
  const others = Object.entries(meta).filter(([key]) => !signalboxMeta.has(key));
  return others.length === 0 ? undefined : Object.fromEntries(others);
}

function readOpening({ mcpServers, _meta }: JsonObject): ClientSessionParams {
  return {
    mcpServers: readObjects(mcpServers),
    meta: metaForAgent(_meta),
  };
}

/** The agent gets it when it is started next. One that runs keeps what it has. */
function keepOpening({ services }: AttachedClient, threadId: string, params: JsonObject): void {
  const opening = readOpening(params);
  if (opening.mcpServers.length > 0 || opening.meta !== undefined) services.editors.keepOpening(threadId, opening);
}

function endOfTurn({ error, stop_reason: stopReason }: TurnRow): TurnEnd {
  return error === null ? { type: "stopped", stopReason: stopReason ?? "end_turn" } : { type: "failed", error };
}

function makeAnswer(end: TurnEnd, seq: number): object {
  const position = { "signalbox/seq": seq };
  switch (end.type) {
    case "stopped":
      return {
        ...end.more,
        stopReason: end.stopReason,
        ...(end.usage === undefined ? {} : { usage: end.usage }),
        _meta: { ...readMeta(end.more), ...position },
      };
    case "held":
      return { stopReason: "cancelled", _meta: { ...position, "signalbox/held": true } };
    case "failed":
      throw failure(end.error.code, end.error.message, end.error.details);
  }
}
