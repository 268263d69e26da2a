// Answers `initialize`: it says what this agent can do. It imports nothing heavy, because it runs before the rest is loaded.
import type { ClientCapabilities, InitializeResponse, SessionCapabilities } from "@agentclientprotocol/sdk";

/** The one version that we speak. A client that asks for another is told this one, and may leave. */
const protocolVersion = 1;
const maxVersion = 65_535;

interface InitializedClient {
  readonly response: InitializeResponse;
  readonly capabilities: ClientCapabilities;
}

/** Undefined when the request is not valid. */
export function initialize(params: unknown, version: string): InitializedClient | undefined {
  if (!isFields(params)) return undefined;
  const { protocolVersion: asked, clientCapabilities, clientInfo } = params;
  if (!Number.isInteger(asked) || Number(asked) < 0 || Number(asked) > maxVersion) return undefined;
  if (!isOptionalFields(clientCapabilities) || !isOptionalFields(clientInfo)) return undefined;
  return { response: response(version), capabilities: readCapabilities(clientCapabilities ?? {}) };
}

/** `fork` is not in ACP's stable part yet. */
const sessionCapabilities: SessionCapabilities & { readonly fork: object } = {
  list: {},
  delete: {},
  resume: {},
  fork: {},
  close: {},
  additionalDirectories: {},
};

function response(version: string): InitializeResponse {
  return {
    protocolVersion,
    agentInfo: { name: "signalbox", title: "Signalbox", version },
    agentCapabilities: {
      loadSession: true,
      promptCapabilities: { image: true, audio: false, embeddedContext: true },
      mcpCapabilities: { http: true, sse: true },
      sessionCapabilities,
      // As `readsComments` of tool-calls reads it; that package is loaded only after this answer.
      _meta: { "signalbox/comment": true },
    },
    authMethods: [],
    // Extensions: `_session/steering`, which several agents have; a model for one prompt, in the `_meta` of `session/prompt`; a fork before any prompt
    // that came with an id.
    _meta: { steering: { supported: true }, "signalbox/prompt_model": true, "signalbox/fork_before": true },
  };
}

/** Only a clear yes is a yes: what a client did not advertise is never used. */
function readCapabilities({ fs, terminal, session, elicitation, _meta: meta }: Fields): ClientCapabilities {
  const files = isFields(fs) ? fs : {};
  const shown = isFields(session) ? session : {};
  const asked = isFields(elicitation) ? elicitation : {};
  return {
    fs: { readTextFile: files.readTextFile === true, writeTextFile: files.writeTextFile === true },
    terminal: terminal === true,
    elicitation: { ...(isFields(asked.form) && { form: {} }), ...(isFields(asked.url) && { url: {} }) },
    ...(isFields(meta) && { _meta: meta }),
    session: {
      ...(isFields(shown.compaction) && { compaction: {} }),
      ...(isFields(shown.notices) && { notices: {} }),
    },
  };
}

type Fields = Readonly<Record<string, unknown>>;

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isOptionalFields(value: unknown): value is Fields | null | undefined {
  return value === undefined || value === null || isFields(value);
}
