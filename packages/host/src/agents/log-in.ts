// How to log in to an agent: what it offers, in words, and the way that it offers to go itself.
import { homedir } from "node:os";
import { isJsonObject, type Json, type JsonObject } from "@signalbox/protocol";
import { HostError } from "../data/host-error.ts";
import type { AgentProcessOptions } from "./agent-process.ts";
import { explainAnswer, ProbeConnection } from "./probe-connection.ts";
import type { AgentDefinition } from "./registry.ts";

const initializeMilliseconds = 30_000;
/** A person goes through a page in the browser meanwhile. */
const personMilliseconds = 10 * 60_000;
const noCapabilities = { fs: { readTextFile: false, writeTextFile: false }, terminal: false };

export interface LogInMethod extends JsonObject {
  readonly id: string;
  readonly name: string;
  /** What to type into a terminal, for a method that needs one; null where the agent goes the way by itself. */
  readonly command: string | null;
}

export function logInMethods({ command, args }: AgentDefinition, offered: unknown): readonly LogInMethod[] {
  const methods = Array.isArray(offered) ? (offered as readonly Json[]).filter(isJsonObject) : [];
  return methods.flatMap((method) => {
    const { id, name, type, args: more } = method;
    if (typeof id !== "string") return [];
    const words = Array.isArray(more) ? more.filter((word) => typeof word === "string") : [];
    const line = type === "terminal" ? [command, ...args, ...words].map(quoted).join(" ") : null;
    return [{ ...method, id, name: typeof name === "string" ? name : id, command: line }];
  });
}

/** What an agent wants that somebody logs in to, as an error with the ways there. */
export function needsLogIn(agent: AgentDefinition, offered: unknown, agentsWords: string | null): HostError {
  const methods = logInMethods(agent, offered);
  const ways = methods.map(({ name, description, command }) => {
    if (command !== null) return `${name}: run \`${command}\` in a terminal`;
    return typeof description === "string" && description !== "" ? `${name}: ${description}` : name;
  });
  const advice =
    ways.length > 0 ? `It offers: ${ways.join("; ")}.` : (agent.login ?? "Log in with its own command in a terminal.");
  const said = agentsWords === null ? "." : `: ${agentsWords.replace(/\.$/, "")}.`;
  return new HostError("agent_failed", `${agent.label} wants you to log in first${said} ${advice} Then try again.`, {
    details: { code: -32000, auth_methods: methods },
  });
}

/** Goes the way that the agent offers: it opens a page in the browser, or finds a key. Throws when that fails. */
export async function logIn(agent: AgentDefinition, methodId: string, options: AgentProcessOptions): Promise<void> {
  const probe = new ProbeConnection(agent, homedir(), options);
  try {
    const params = { protocolVersion: 1, clientCapabilities: noCapabilities };
    const initialized = await probe.request("initialize", params, initializeMilliseconds);
    if (initialized.type !== "result") throw failure(explainAnswer(agent, "initialize", initialized));
    const methods = logInMethods(agent, initialized.result.authMethods);
    const method = methods.find(({ id }) => id === methodId);
    if (method === undefined) {
      const known = methods.map(({ id }) => id).join(", ") || "none";
      throw new HostError("not_found", `${agent.label} offers no way ${methodId} to log in. It offers: ${known}.`);
    }
    const answer = await probe.request("authenticate", { methodId }, personMilliseconds);
    if (answer.type !== "result") throw failure(explainAnswer(agent, "authenticate", answer));
  } finally {
    await probe.stop();
  }
}

function failure(words: string): HostError {
  return new HostError("agent_failed", words);
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
