// The ACP border of our agent: what a client may ask, and nothing else.
import { randomUUID } from "node:crypto";
import { isAbsolute } from "node:path";
import { type AgentApp, agent, methods, PROTOCOL_VERSION, RequestError } from "@agentclientprotocol/sdk";
import type { Model } from "../providers/model.ts";
import { Session } from "../sessions/session.ts";
import { promptText } from "./prompt-text.ts";

export interface AgentAppOptions {
  readonly version: string;
  readonly model: () => Promise<Model>;
}

export function agentApp({ version, model }: AgentAppOptions): AgentApp {
  const sessions = new Map<string, Session>();
  const sessionOf = (id: string): Session => {
    const session = sessions.get(id);
    if (session === undefined) throw RequestError.sessionNotFound(id);
    return session;
  };

  return agent({ name: "signalbox" })
    .onRequest(methods.agent.initialize, () => ({
      protocolVersion: PROTOCOL_VERSION,
      agentInfo: { name: "signalbox", title: "Signalbox", version },
      agentCapabilities: { loadSession: false, promptCapabilities: { embeddedContext: true } },
      authMethods: [],
    }))
    .onRequest(methods.agent.session.new, ({ params }) => {
      if (!isAbsolute(params.cwd)) {
        throw RequestError.invalidParams({ cwd: params.cwd }, "cwd must be an absolute path");
      }
      const session = new Session(randomUUID(), model());
      sessions.set(session.id, session);
      return { sessionId: session.id };
    })
    .onRequest(methods.agent.session.prompt, async ({ params, client }) => {
      const { sessionId } = params;
      const stopReason = await sessionOf(sessionId).prompt(promptText(params.prompt), (text) =>
        client.notify(methods.client.session.update, {
          sessionId,
          update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text } },
        }),
      );
      return { stopReason };
    })
    .onNotification(methods.agent.session.cancel, ({ params }) => sessions.get(params.sessionId)?.cancel());
}
