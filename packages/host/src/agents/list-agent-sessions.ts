// Lists the sessions that an agent has stored. Starts the agent for this and stops it again.
import { isJsonObject, type Json, toFields } from "@signalbox/protocol";
import { HostError } from "../data/host-error.ts";
import { explainAnswer, ProbeConnection } from "./probe-connection.ts";
import type { ProbeOptions } from "./probe-place.ts";
import type { AgentDefinition } from "./registry.ts";

const answerTimeoutMs = 30_000;
const noCapabilities = { fs: { readTextFile: false, writeTextFile: false }, terminal: false };

interface ListedSession {
  readonly sessionId: string;
  readonly cwd: string;
  readonly title: string | null;
  readonly updatedAt: number | null;
}

interface SessionPage {
  readonly sessions: readonly ListedSession[];
  readonly nextCursor: string | null;
}

/** Throws when the agent cannot list sessions, or does not work. */
export async function listAgentSessions(
  agent: AgentDefinition,
  { cwd, cursor }: { readonly cwd: string | null; readonly cursor: string | null },
  options: ProbeOptions,
): Promise<SessionPage> {
  const probe = await ProbeConnection.start(agent, options);
  try {
    const ask = async (method: string, params: { readonly [key: string]: Json }) => {
      const answer = await probe.request(method, params, answerTimeoutMs);
      if (answer.type !== "result") throw new HostError("agent_failed", explainAnswer(agent, method, answer));
      return answer.result;
    };
    const { agentCapabilities } = await ask("initialize", { protocolVersion: 1, clientCapabilities: noCapabilities });
    const abilities = toFields(agentCapabilities).sessionCapabilities;
    if (!isJsonObject(abilities) || !isJsonObject(abilities.list)) {
      throw new HostError("bad_request", `${agent.label} cannot list its sessions.`);
    }
    const params = { ...(cwd === null ? {} : { cwd }), ...(cursor === null ? {} : { cursor }) };
    const { sessions, nextCursor } = await ask("session/list", params);
    return {
      sessions: (Array.isArray(sessions) ? sessions : []).flatMap(readSession),
      nextCursor: typeof nextCursor === "string" ? nextCursor : null,
    };
  } finally {
    await probe.stop();
  }
}

function readSession(value: Json): readonly ListedSession[] {
  if (!isJsonObject(value)) return [];
  const { sessionId, cwd, title, updatedAt } = value;
  if (typeof sessionId !== "string" || typeof cwd !== "string") return [];
  const time = typeof updatedAt === "string" ? Date.parse(updatedAt) : Number.NaN;
  return [
    { sessionId, cwd, title: typeof title === "string" ? title : null, updatedAt: Number.isNaN(time) ? null : time },
  ];
}
