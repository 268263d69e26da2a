// Describes the ways to log in to an agent, and runs those that the agent carries out itself.
import { isJsonObject, type Json, type JsonObject, toFields } from "@signalbox/protocol";
import { HostError } from "../data/host-error.ts";
import { explainAnswer, ProbeConnection } from "./probe-connection.ts";
import type { ProbeOptions } from "./probe-place.ts";
import type { AgentDefinition } from "./registry.ts";

/** JSON-RPC code with which an agent asks for a log-in. */
const authRequired = -32000;
const initializeTimeoutMs = 30_000;
/** A person logs in on a page in the browser meanwhile. */
const personTimeoutMs = 10 * 60_000;
const noCapabilities = { fs: { readTextFile: false, writeTextFile: false }, terminal: false };

interface LogInMethod extends JsonObject {
  readonly id: string;
  readonly name: string;
  /** The command to run in a terminal, for a method that needs one; null where the agent does it itself. */
  readonly command: string | null;
}

export function listLogInMethods({ command, args }: AgentDefinition, offered: unknown): readonly LogInMethod[] {
  const methods = Array.isArray(offered) ? (offered as readonly Json[]).filter(isJsonObject) : [];
  return methods.flatMap((method) => {
    const { id, name, type, args: more } = method;
    if (typeof id !== "string") return [];
    const extra = Array.isArray(more) ? more.filter((argument) => typeof argument === "string") : [];
    const line = type === "terminal" ? [command, ...args, ...extra].map(quoteWord).join(" ") : null;
    return [{ ...method, id, name: typeof name === "string" ? name : id, command: line }];
  });
}

/** The error for an agent that needs a log-in, with the ways to log in. */
export function makeLogInError(agent: AgentDefinition, offered: unknown, agentMessage: string | null): HostError {
  const methods = listLogInMethods(agent, offered);
  const ways = methods.map(({ name, description, command }) => {
    if (command !== null) return `${name}: run \`${command}\` in a terminal`;
    return typeof description === "string" && description !== "" ? `${name}: ${description}` : name;
  });
  const advice =
    ways.length > 0 ? `It offers: ${ways.join("; ")}.` : (agent.login ?? "Log in with its own command in a terminal.");
  const message = `${explainNotReady(agent, agentMessage, advice)} Then try again.`;
  return new HostError("agent_failed", message, { details: { code: authRequired, auth_methods: methods } });
}

/** Why an agent does not work yet, and what to do. Our own agent needs no log-in but a model, and says itself what to set. */
export function explainNotReady({ label }: AgentDefinition, agentMessage: string | null, advice: string): string {
  const reason = agentMessage === null ? "" : `: ${agentMessage.replace(/\.$/, "")}`;
  if (`${reason}.`.includes(advice)) return `${label} is not ready${reason}.`;
  return `${label} wants you to log in first${reason}. ${advice}`;
}

/** Whether the agent answered that the user has to log in first. */
export function isLoginError(error: unknown): boolean {
  return error instanceof HostError && toFields(error.details).code === authRequired;
}

/** Runs a method that the agent offers: it names a page for the browser, or finds a key. Throws when that fails. */
export async function logIn(agent: AgentDefinition, methodId: string, options: ProbeOptions): Promise<void> {
  await runInitialized(agent, options, async (probe, { authMethods }) => {
    const methods = listLogInMethods(agent, authMethods);
    const method = methods.find(({ id }) => id === methodId);
    if (method === undefined) {
      const known = methods.map(({ id }) => id).join(", ") || "none";
      throw new HostError("not_found", `${agent.label} offers no way ${methodId} to log in. It offers: ${known}.`);
    }
    const answer = await probe.request("authenticate", { methodId }, personTimeoutMs);
    if (answer.type !== "result") throw makeFailure(explainAnswer(agent, "authenticate", answer));
  });
}

/** Ends the agent's log-in. Throws when it offers no log-out, or fails. */
export async function logOut(agent: AgentDefinition, options: ProbeOptions): Promise<void> {
  await runInitialized(agent, options, async (probe, { agentCapabilities }) => {
    if (!canLogOut(agentCapabilities)) throw new HostError("bad_request", `${agent.label} offers no way to log out.`);
    const answer = await probe.request("logout", {}, initializeTimeoutMs);
    if (answer.type !== "result") throw makeFailure(explainAnswer(agent, "logout", answer));
  });
}

export function canLogOut(agentCapabilities: Json | undefined): boolean {
  const auth = toFields(agentCapabilities).auth;
  return isJsonObject(auth) && isJsonObject(auth.logout);
}

async function runInitialized(
  agent: AgentDefinition,
  options: ProbeOptions,
  work: (probe: ProbeConnection, answer: JsonObject) => Promise<void>,
): Promise<void> {
  const probe = await ProbeConnection.start(agent, options);
  try {
    const params = { protocolVersion: 1, clientCapabilities: noCapabilities };
    const initialized = await probe.request("initialize", params, initializeTimeoutMs);
    if (initialized.type !== "result") throw makeFailure(explainAnswer(agent, "initialize", initialized));
    await work(probe, initialized.result);
  } finally {
    await probe.stop();
  }
}

function makeFailure(message: string): HostError {
  return new HostError("agent_failed", message);
}

function quoteWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
