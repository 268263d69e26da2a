// Answers `agents.list`: which agents are installed, in which version, and whether they are ready. This reads a few files and starts
// nothing; a version that is in no file is asked of the program only on request, once.
import { statSync } from "node:fs";
import type { KeyStore } from "@signalbox/config/keys";
import { findKeyPrefix } from "@signalbox/config/providers";
import type { AgentKeyRow, AgentOffers, AgentReadiness, AgentRow, AgentTestRow } from "@signalbox/protocol";
import { makeAgentEnvironment } from "./agent-environment.ts";
import { describeOutput } from "./agent-exit.ts";
import { AgentProcess } from "./agent-process.ts";
import { type FoundProgram, findProgram, listProgramPlaces, readPackageVersion } from "./find-program.ts";
import { describeWarning } from "./install/install-plan.ts";
import { demoAgentId } from "./known-agents.ts";
import { logIn, logOut } from "./log-in.ts";
import type { ProbeOptions } from "./probe-place.ts";
import type { AgentDefinition, AgentRegistry } from "./registry.ts";
import { explainOutside } from "./sandbox-agent.ts";
import { type AgentTestOptions, explainNotInstalled, testAgent } from "./test-agent.ts";

const versionTimeoutMs = 10_000;

interface Problem {
  readonly readiness: AgentReadiness;
  readonly reason: string;
}

type AskedVersion = { readonly version: string } | { readonly problem: string };

export class ReadinessTracker {
  readonly #registry: AgentRegistry;
  readonly #options: ProbeOptions;
  readonly #keys: Pick<KeyStore, "list" | "load">;
  /** The problem of the last use or test of each agent. */
  readonly #problems = new Map<string, Problem>();
  /** The modes and models that each agent offered in its last test. */
  readonly #offers = new Map<string, AgentOffers>();
  /** By file and its time of change. */
  readonly #versions = new Map<string, Promise<AskedVersion>>();

  constructor(registry: AgentRegistry, keys: Pick<KeyStore, "list" | "load">, options: ProbeOptions) {
    this.#registry = registry;
    this.#keys = keys;
    this.#options = options;
  }

  /** With `versions`, programs whose version no file tells are asked for it. */
  async listRows({ versions = false }: { versions?: boolean } = {}): Promise<readonly AgentRow[]> {
    return await Promise.all(this.#registry.all().map((agent) => this.#makeRow(agent, versions)));
  }

  /** Records that the agent did not work; `agents.list` shows it until the agent works again. */
  recordProblem(agentId: string, readiness: "needs_login" | "broken", reason: string): void {
    this.#problems.set(agentId, { readiness, reason });
  }

  recordSuccess(agentId: string): void {
    this.#problems.delete(agentId);
  }

  /** Logs in with a method that the agent offers. `onOutput` gets what it prints, such as the address of a page to log in. */
  async logIn(agent: AgentDefinition, methodId: string, onOutput: (text: string) => void): Promise<void> {
    await this.#keys.load();
    await logIn(agent, methodId, { ...this.#options, onOutput });
  }

  async logOut(agent: AgentDefinition): Promise<void> {
    await this.#keys.load();
    await logOut(agent, this.#options);
  }

  /** Tests the agent and records the result. */
  async test(agent: AgentDefinition, options: AgentTestOptions = {}): Promise<AgentTestRow> {
    await this.#keys.load();
    const test = await testAgent(agent, { ...this.#options, ...options });
    if (test.offers !== null) this.#offers.set(agent.id, test.offers);
    if (test.reason === null) this.recordSuccess(agent.id);
    else this.#problems.set(agent.id, { readiness: test.readiness, reason: test.reason });
    return test;
  }

  async #makeRow(agent: AgentDefinition, asksVersions: boolean): Promise<AgentRow> {
    const { id, label, install = null, login = null, plan } = agent;
    const found = findProgram(agent, listProgramPlaces(makeAgentEnvironment(agent, process.env)));
    const head = {
      id,
      label,
      ...(id === demoAgentId ? { demo: true } : {}),
      description: agent.description ?? null,
      install,
      login,
      program: found?.file ?? null,
      can_install: plan !== undefined,
      install_warning: plan === undefined ? null : describeWarning(plan),
      keys: this.#listKeys(agent),
      offers: this.#offers.get(id) ?? null,
      model: (await agent.own?.usualModel?.()) ?? null,
      outside_because: explainOutside(agent) ?? null,
    };
    if (found === null) return { ...head, ...explainNotInstalled(agent), version: null };
    const told = agent.own?.version ?? readPackageVersion(found.file);
    const asked = told === null ? await this.#findVersion(agent, found, asksVersions) : { version: told };
    const version = asked !== null && "version" in asked ? asked.version : null;
    const lacks = agent.lacks?.();
    if (lacks !== undefined) return { ...head, readiness: "needs_login", reason: lacks, version };
    const problem = this.#problems.get(id);
    if (problem !== undefined) return { ...head, ...problem, version };
    if (asked !== null && "problem" in asked) return { ...head, readiness: "broken", reason: asked.problem, version };
    return { ...head, readiness: "ready", reason: null, version };
  }

  #listKeys({ id, keys }: AgentDefinition): readonly AgentKeyRow[] {
    const kept = this.#keys.list();
    return (keys?.variables ?? []).map((variable) => {
      const own = kept.find((key) => key.agent === id && key.variable === variable);
      const key_prefix = findKeyPrefix(variable) ?? null;
      if (process.env[variable]) return { variable, source: "environment", last_four: null, key_prefix };
      return { variable, source: own?.place ?? null, last_four: own?.last_four ?? null, key_prefix };
    });
  }

  async #findVersion(agent: AgentDefinition, { file }: FoundProgram, asks: boolean): Promise<AskedVersion | null> {
    // An unknown command may do anything with --version.
    if (agent.program === undefined) return null;
    const key = `${file} ${statSync(file, { throwIfNoEntry: false })?.mtimeMs}`;
    const known = (await this.#versions.get(key)) ?? null;
    // A program that failed is asked again.
    if (!asks || (known !== null && "version" in known)) return known;
    const asked = askVersion(agent, this.#options);
    this.#versions.set(key, asked);
    return await asked;
  }
}

async function askVersion(agent: AgentDefinition, { openPlace, ledger }: ProbeOptions): Promise<AskedVersion> {
  await using place = await openPlace(agent);
  const { definition, folder, sandbox } = place;
  // The version is in its output that is no message.
  const asked = new AgentProcess({ ...definition, args: ["--version"] }, folder, () => {}, { ledger, sandbox });
  const limit = setTimeout(() => asked.kill(), versionTimeoutMs);
  const exit = await asked.exited;
  clearTimeout(limit);
  const version = /\d+\.\d+[\w.+-]*/.exec(`${exit.junk}\n${exit.stderr}`)?.[0];
  if (version !== undefined) return { version };
  const text = `\`${agent.command} --version\` ${exit.what} and printed no version.`;
  return { problem: `${text} ${describeOutput(exit)}`.trim() };
}
