// Tests an agent: finds it, starts it, initializes it, opens a session in an empty folder, and stops it. Reports each step and what to do
// about a failure.
import {
  type AgentOffers,
  type AgentReadiness,
  type AgentTestRow,
  type AgentTestStepRow,
  isJsonObject,
  type Json,
  readText,
  toFields,
} from "@signalbox/protocol";
import { makeAgentEnvironment } from "./agent-environment.ts";
import { describeOutput } from "./agent-exit.ts";
import { clientCapabilities } from "./client-capabilities.ts";
import { findProgram, listProgramPlaces, readPackageVersion } from "./find-program.ts";
import { canLogOut, explainNotReady, listLogInMethods } from "./log-in.ts";
import { describeErrorAnswer, explainAnswer, type ProbeAnswer, ProbeConnection } from "./probe-connection.ts";
import type { ProbeOptions } from "./probe-place.ts";
import type { AgentDefinition } from "./registry.ts";

/** Slow agents start in three seconds and open a session in two. */
const answerTimeoutMs = 30_000;
const loginRequired = -32000;

/** A caller adds these to how agents are started. */
export interface AgentTestOptions {
  /** Called when a step is done. */
  readonly onStep?: (step: AgentTestStepRow) => void;
  readonly answerTimeoutMs?: number;
}

interface Verdict {
  readonly readiness: AgentReadiness;
  readonly reason: string | null;
}

export async function testAgent(
  agent: AgentDefinition,
  options: AgentTestOptions & ProbeOptions,
): Promise<AgentTestRow> {
  const steps = new Steps(options.onStep);
  const found = findProgram(agent, listProgramPlaces(makeAgentEnvironment(agent, process.env)));
  if (found === null) {
    const missing = agent.needs === undefined ? `program ${agent.command}` : `package ${agent.needs.npmPackage}`;
    steps.add("find", false, `The ${missing} was not found.`);
    return { ...makeBlankRow(agent, steps), ...explainNotInstalled(agent) };
  }
  steps.add("find", true, `Found at ${found.file}.`);
  const probe = await ProbeConnection.start(agent, options);
  try {
    const tried = await runSteps(agent, probe, steps, options.answerTimeoutMs ?? answerTimeoutMs);
    const version = tried.version ?? readPackageVersion(found.file) ?? agent.own?.version ?? null;
    return { ...makeBlankRow(agent, steps), ...tried, version, output: probe.tail };
  } finally {
    await probe.stop();
    steps.add("stop", true, "Stopped, with everything it started.");
  }
}

export function explainNotInstalled({ label, command, install }: AgentDefinition): Verdict {
  const advice = install === undefined ? `Is ${command} on the PATH?` : `Install it with: ${install}`;
  return { readiness: "not_installed", reason: `${label} is not installed. ${advice}` };
}

interface TestOutcome extends Verdict {
  readonly version: string | null;
  readonly auth_methods: readonly Json[];
  readonly can_log_out: boolean;
  readonly offers?: AgentOffers;
}

async function runSteps(
  agent: AgentDefinition,
  probe: ProbeConnection,
  steps: Steps,
  timeoutMs: number,
): Promise<TestOutcome> {
  // The same as for a thread: what an agent does and says depends on it.
  const initialized = await probe.request("initialize", { protocolVersion: 1, clientCapabilities }, timeoutMs);
  if (initialized.type !== "result") {
    const reason = explainAnswer(agent, "initialize", initialized);
    steps.add(initialized.type === "gone" ? "start" : "initialize", false, reason);
    return { ...judgeAnswer(agent, initialized, reason), version: null, auth_methods: [], can_log_out: false };
  }
  steps.add("start", true, "Started.");
  const { protocolVersion, agentInfo, agentCapabilities, authMethods } = initialized.result;
  const version = readText(agentInfo, "version");
  const auth_methods = listLogInMethods(agent, authMethods);
  const facts = { version, auth_methods, can_log_out: canLogOut(agentCapabilities) };
  if (protocolVersion !== 1) {
    const reason = `${agent.label} speaks version ${JSON.stringify(protocolVersion)} of the Agent Client Protocol, Signalbox version 1. Install another version of it.`;
    steps.add("initialize", false, reason);
    return { readiness: "broken", reason, ...facts };
  }
  steps.add(
    "initialize",
    true,
    `It speaks the Agent Client Protocol${version === null ? "" : `; version ${version}`}.`,
  );
  const opened = await probe.request("session/new", { cwd: probe.folder, mcpServers: [] }, timeoutMs);
  if (opened.type === "result" && typeof opened.result.sessionId === "string") {
    steps.add("session", true, "It opened a session.");
    // The session should not stay in the list of the person's own sessions. If it does, no harm is done.
    if (canDelete(agentCapabilities)) {
      await probe.request("session/delete", { sessionId: opened.result.sessionId }, timeoutMs);
    }
    const { modes = null, configOptions = null } = opened.result;
    const offers = { modes, config_options: configOptions, available_commands: probe.commands };
    return { readiness: "ready", reason: null, ...facts, offers };
  }
  const verdict = judgeAnswer(agent, opened, explainAnswer(agent, "session/new", opened));
  steps.add("session", false, verdict.reason);
  return { ...verdict, ...facts };
}

function canDelete(capabilities: Json | undefined): boolean {
  const sessions = toFields(capabilities).sessionCapabilities;
  return isJsonObject(sessions) && isJsonObject(sessions.delete);
}

/** Most agents ask for a log-in with the protocol's code; some only in the error message, and some exit. */
function judgeAnswer(
  agent: AgentDefinition,
  answer: ProbeAnswer,
  reason: string,
): Verdict & { readonly reason: string } {
  const text =
    answer.type === "gone" ? describeOutput(answer.exit) : answer.type === "error" ? describeErrorAnswer(answer) : "";
  const asksByCode = answer.type === "error" && answer.code === loginRequired;
  if (!asksByCode && !/auth|log ?in|sign ?in|api[ _-]?key|credential|no providers? configured/i.test(text)) {
    return { readiness: "broken", reason };
  }
  if (answer.type === "gone") return { readiness: "needs_login", reason: `${reason} ${agent.login ?? ""}`.trim() };
  return {
    readiness: "needs_login",
    reason: explainNotReady(agent, text, agent.login ?? "Log in to it in a terminal."),
  };
}

function makeBlankRow(
  { id, version = null }: { id: string; version?: string | null },
  { rows }: Steps,
): Omit<AgentTestRow, keyof Verdict> {
  return { agent_id: id, version, auth_methods: [], can_log_out: false, offers: null, steps: rows, output: "" };
}

class Steps {
  readonly rows: AgentTestStepRow[] = [];
  readonly #onStep: ((step: AgentTestStepRow) => void) | undefined;
  #begin = performance.now();

  constructor(onStep: ((step: AgentTestStepRow) => void) | undefined) {
    this.#onStep = onStep;
  }

  add(step: AgentTestStepRow["step"], ok: boolean, message: string): void {
    const now = performance.now();
    const row = { step, ok, message, ms: Math.round(now - this.#begin) };
    this.#begin = now;
    this.rows.push(row);
    this.#onStep?.(row);
  }
}
