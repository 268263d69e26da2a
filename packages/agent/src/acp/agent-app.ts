// Answers the ACP requests of a client, once it is initialized.
import { type AgentApp, agent, type McpServer, methods, RequestError } from "@agentclientprotocol/sdk";
import { z } from "zod";
import { isModeId, modeIds } from "../sessions/modes.ts";
import type { Session } from "../sessions/session.ts";
import { refusedOption } from "../sessions/session-options.ts";
import type { SessionRequest, Sessions } from "../sessions/sessions.ts";
import { toRequestError } from "./request-error.ts";

/** The sessions are there as soon as there is a connection. */
export function agentApp(sessions: () => Sessions): AgentApp {
  return agent({ name: "signalbox" })
    .onRequest(methods.agent.session.new, ({ params }) =>
      answered(async () => {
        const model = params._meta?.["signalbox/model"];
        const session = await sessions().create({ ...params, ...(typeof model === "string" && { model }) });
        announceSoon(session);
        return { sessionId: session.id, ...pickState(session) };
      }),
    )
    .onRequest(methods.agent.session.load, ({ params }) =>
      answered(async () => {
        const { session, stored } = await sessions().restore(params.sessionId, params);
        await session.replay(stored.updates);
        announceSoon(session);
        return pickState(session);
      }),
    )
    .onRequest(methods.agent.session.resume, ({ params }) =>
      answered(async () => {
        const { session } = await sessions().restore(params.sessionId, params);
        announceSoon(session);
        return pickState(session);
      }),
    )
    .onRequest("session/fork", asFork, ({ params }) =>
      answered(async () => {
        const session = await sessions().fork(params.sessionId, params, readMetaText(params._meta, forkBeforeKey));
        announceSoon(session);
        return { sessionId: session.id, ...pickState(session) };
      }),
    )
    .onRequest(methods.agent.session.list, ({ params }) =>
      answered(async () => {
        const page = await sessions().list(params.cwd ?? null, params.cursor ?? null);
        return {
          sessions: page.sessions.map(({ id, cwd, title, updatedAt, additionalDirectories }) => ({
            sessionId: id,
            cwd,
            title,
            updatedAt,
            ...(additionalDirectories.length > 0 && { additionalDirectories: [...additionalDirectories] }),
          })),
          ...(page.nextCursor !== null && { nextCursor: page.nextCursor }),
        };
      }),
    )
    .onRequest(methods.agent.session.close, ({ params }) => answered(() => sessions().close(params.sessionId)))
    .onRequest(methods.agent.session.delete, ({ params }) => answered(() => sessions().delete(params.sessionId)))
    .onRequest(methods.agent.session.setMode, ({ params }) =>
      answered(() => {
        const session = sessions().get(params.sessionId);
        if (!isModeId(params.modeId)) {
          throw RequestError.invalidParams({ modeId: params.modeId }, `there are ${modeIds.join(", ")}`);
        }
        session.setMode(params.modeId);
        return {};
      }),
    )
    .onRequest(methods.agent.session.setConfigOption, ({ params }) =>
      answered(() => {
        const session = sessions().get(params.sessionId);
        if (!session.setOption(params.configId, params.value)) {
          const why = refusedOption(session.configOptions, params.configId, params.value);
          throw RequestError.invalidParams({ configId: params.configId, value: params.value }, why);
        }
        return { configOptions: session.configOptions };
      }),
    )
    .onRequest(methods.agent.session.prompt, ({ params, signal }) =>
      answered(async () => {
        const { sessionId, prompt, _meta } = params;
        const { stopReason, model, usage } = await sessions()
          .get(sessionId)
          .prompt(prompt, signal, {
            model: readMetaText(_meta, promptModelKey),
            promptId: readMetaText(_meta, promptIdKey),
          });
        // A client that sends no `_meta` expects neither it nor the count of tokens, which is not in ACP's stable part yet.
        return {
          stopReason,
          ...(_meta && {
            ...(usage !== undefined && { usage }),
            _meta: { ..._meta, ...(model !== undefined && { [promptModelKey]: model }) },
          }),
        };
      }),
    )
    .onRequest("_session/steering", asSteering, ({ params }) =>
      answered(() => {
        const isTaken = sessions().get(params.sessionId).steer(params.prompt);
        return { outcome: isTaken ? "injected" : "promptRequired" };
      }),
    )
    .onNotification(methods.agent.session.cancel, ({ params }) => sessions().cancel(params.sessionId));
}

/** In the `_meta` of a prompt the model that is wanted for it, in that of its answer the one that answered. */
const promptModelKey = "signalbox/model";
/** In the `_meta` of a prompt the client's id of it, in that of `session/fork` the id of the prompt to fork before. */
const promptIdKey = "signalbox/prompt";
const forkBeforeKey = "signalbox/before_prompt";

function readMetaText(meta: Readonly<Record<string, unknown>> | null | undefined, key: string): string | undefined {
  const value = meta?.[key];
  return typeof value === "string" ? value : undefined;
}

/** An extension: the SDK does not check it. */
const steeringParams = z.object({
  sessionId: z.string(),
  prompt: z
    .array(
      z.discriminatedUnion("type", [
        z.object({ type: z.literal("text"), text: z.string() }),
        z.object({ type: z.literal("image"), data: z.string(), mimeType: z.string() }),
        z.object({ type: z.literal("resource_link"), name: z.string(), uri: z.string() }),
      ]),
    )
    .min(1),
});

function asSteering(params: unknown): z.infer<typeof steeringParams> {
  const { success, data, error } = steeringParams.safeParse(params);
  if (!success) throw RequestError.invalidParams(undefined, z.prettifyError(error));
  return data;
}

/** Not in ACP's stable part yet, so the SDK does not check it. */
const forkParams = z.object({
  sessionId: z.string(),
  cwd: z.string(),
  additionalDirectories: z.array(z.string()).optional(),
  mcpServers: z.array(z.looseObject({ name: z.string() })).optional(),
  _meta: z.record(z.string(), z.unknown()).nullish(),
});

interface ForkRequest extends SessionRequest {
  readonly sessionId: string;
  readonly _meta?: Readonly<Record<string, unknown>> | null | undefined;
}

function asFork(params: unknown): ForkRequest {
  const { success, data, error } = forkParams.safeParse(params);
  if (!success) throw RequestError.invalidParams(undefined, z.prettifyError(error));
  const { mcpServers = [], additionalDirectories = [], ...rest } = data;
  // Problems of a server are reported when it starts.
  return { ...rest, additionalDirectories, mcpServers: mcpServers as unknown as McpServer[] };
}

async function answered<T>(work: () => Promise<T> | T): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw toRequestError(error);
  }
}

function pickState(session: Session): Pick<Session, "modes" | "configOptions"> {
  return { modes: session.modes, configOptions: session.configOptions };
}

/** After the answer: before it, a client does not know the session. */
function announceSoon(session: Session): void {
  setImmediate(() => session.announce());
}
