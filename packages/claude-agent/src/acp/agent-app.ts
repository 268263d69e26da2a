// Answers the ACP requests of a client.
import {
  type AgentApp,
  type AgentContext,
  agent,
  type ClientCapabilities,
  type InitializeResponse,
  methods,
  PROTOCOL_VERSION,
} from "@agentclientprotocol/sdk";
import { ClaudeError } from "../errors/claude-error.ts";
import { modelOptionId } from "../sessions/model-option.ts";
import type { Session } from "../sessions/session.ts";
import type { Sessions } from "../sessions/sessions.ts";
import { toRequestError } from "./request-error.ts";

interface AgentAppOptions {
  readonly version: string;
  /** Rejects when the SDK is missing. */
  readonly open: (context: AgentContext, capabilities: ClientCapabilities) => Promise<Sessions>;
  /** Rejects when no one is logged in. */
  readonly checkLogin: () => Promise<void>;
}

const loginMethod = {
  id: "claude-login",
  name: "Log in to Claude Code",
  description: "Run `claude` in a terminal and log in with /login, or set ANTHROPIC_API_KEY.",
};

export function agentApp({ version, open, checkLogin }: AgentAppOptions): AgentApp {
  let opened: Sessions | undefined;
  let opening: Promise<Sessions> | undefined;
  const sessions = (): Sessions => {
    if (opened === undefined) throw new ClaudeError("bad_request", "initialize must come first.");
    return opened;
  };
  return agent({ name: "signalbox-claude" })
    .onRequest(methods.agent.initialize, ({ params, client }) =>
      answered(async () => {
        // Once: others would know nothing of the sessions that run already, and no one would end those.
        opening ??= open(client, params.clientCapabilities ?? {}).catch((error: unknown) => {
          opening = undefined;
          throw error;
        });
        opened = await opening;
        return initializeResponse(version);
      }),
    )
    .onRequest(methods.agent.authenticate, () =>
      answered(async () => {
        await checkLogin();
        return {};
      }),
    )
    .onRequest(methods.agent.session.new, ({ params }) =>
      answered(async () => {
        const session = await sessions().create(params);
        return { sessionId: session.id, ...pickState(session) };
      }),
    )
    .onRequest(methods.agent.session.load, ({ params }) =>
      answered(async () => pickState(await sessions().restore(params.sessionId, params, { replay: true }))),
    )
    .onRequest(methods.agent.session.resume, ({ params }) =>
      answered(async () => pickState(await sessions().restore(params.sessionId, params, { replay: false }))),
    )
    .onRequest(methods.agent.session.list, ({ params }) =>
      answered(() => sessions().list(params.cwd ?? null, params.cursor ?? null)),
    )
    .onRequest(methods.agent.session.close, ({ params }) =>
      answered(async () => {
        await sessions().close(params.sessionId);
        return {};
      }),
    )
    .onRequest(methods.agent.session.delete, ({ params }) =>
      answered(async () => {
        await sessions().delete(params.sessionId);
        return {};
      }),
    )
    .onRequest(methods.agent.session.setMode, ({ params }) =>
      answered(async () => {
        await sessions().get(params.sessionId).setMode(params.modeId);
        return {};
      }),
    )
    .onRequest(methods.agent.session.setConfigOption, ({ params }) =>
      answered(async () => {
        const session = sessions().get(params.sessionId);
        if (params.configId !== modelOptionId || typeof params.value !== "string") {
          throw new ClaudeError("bad_request", `The only option here is "${modelOptionId}".`);
        }
        await session.setModel(params.value);
        return { configOptions: session.configOptions };
      }),
    )
    .onRequest(methods.agent.session.prompt, ({ params }) =>
      answered(async () => ({ stopReason: await sessions().get(params.sessionId).prompt(params.prompt) })),
    )
    .onNotification(methods.agent.session.cancel, ({ params }) => opened?.find(params.sessionId)?.cancel());
}

function initializeResponse(version: string): InitializeResponse {
  return {
    protocolVersion: PROTOCOL_VERSION,
    agentInfo: { name: "signalbox-claude", title: "Claude Code", version },
    agentCapabilities: {
      loadSession: true,
      promptCapabilities: { image: true, audio: false, embeddedContext: true },
      mcpCapabilities: { http: true, sse: true },
      sessionCapabilities: { list: {}, delete: {}, resume: {}, close: {}, additionalDirectories: {} },
      // As `readsComments` of tool-calls reads it.
      _meta: { "signalbox/comment": true },
    },
    authMethods: [loginMethod],
  };
}

async function answered<T>(work: () => Promise<T> | T): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw toRequestError(error);
  }
}

/** The commands follow the answer: before it, a client does not know the session. */
function pickState(session: Session): Pick<Session, "modes" | "configOptions"> {
  setImmediate(() => session.announce());
  return { modes: session.modes, configOptions: session.configOptions };
}
