// Finds out whether Ollama runs on this machine and which models it has, and starts it when a person asks for it.
import { homedir } from "node:os";
import { setTimeout as pause } from "node:timers/promises";
import type { Config } from "@signalbox/config";
import { customUrl, providers } from "@signalbox/config/providers";
import type { SetupRow } from "@signalbox/protocol";
import { HostError } from "../data/host-error.ts";
import { describeOutput } from "./agent-exit.ts";
import { AgentProcess } from "./agent-process.ts";
import { findProgram, listProgramPlaces } from "./find-program.ts";
import type { PidLedger } from "./pid-ledger.ts";

/** A local server answers quickly or does not run. */
const answerTimeoutMs = 500;
const startTimeoutMs = 20_000;
const retryMs = 200;
const program = { command: "ollama", args: ["serve"] };

export async function describeOllama(config: Pick<Config, "providers">): Promise<SetupRow["ollama"]> {
  const address = customUrl("ollama", config.providers.ollama ?? {}, process.env) ?? providers.ollama.defaultUrl;
  const installed = findProgram(program, listProgramPlaces(process.env)) !== null;
  try {
    const answer = await fetch(new URL("/api/tags", address), { signal: AbortSignal.timeout(answerTimeoutMs) });
    const { models } = (await answer.json()) as { models?: { name?: unknown }[] };
    const names = (models ?? []).map(({ name }) => name).filter((name) => typeof name === "string");
    return { running: answer.ok, installed, models: names };
  } catch {
    return { running: false, installed, models: [] };
  }
}

export class Ollama {
  readonly #config: () => Pick<Config, "providers">;
  readonly #ledger: PidLedger;
  #process: AgentProcess | null = null;

  constructor(config: () => Pick<Config, "providers">, ledger: PidLedger) {
    this.#config = config;
    this.#ledger = ledger;
  }

  /** Resolves when it answers. Throws a HostError that says what is missing. */
  async start(): Promise<void> {
    if ((await describeOllama(this.#config())).running) return;
    const found = findProgram(program, listProgramPlaces(process.env));
    if (found === null)
      throw new HostError("unavailable", "Ollama is not installed. Get it from ollama.com, then try again.");
    const started = new AgentProcess({ ...found }, homedir(), () => undefined, { ledger: this.#ledger });
    this.#process = started;
    const gone = started.exited.then((exit) => `Ollama ${exit.what}. ${describeOutput(exit)}`.trim());
    const limit = AbortSignal.timeout(startTimeoutMs);
    while (!limit.aborted) {
      const problem = await Promise.race([gone, pause(retryMs)]);
      if (problem !== undefined) throw new HostError("unavailable", problem);
      if ((await describeOllama(this.#config())).running) return;
    }
    await this.stop();
    throw new HostError("unavailable", `Ollama did not answer within ${startTimeoutMs / 1000} s.`);
  }

  async stop(): Promise<void> {
    await this.#process?.stop({ endsAtStdinEnd: false });
    this.#process = null;
  }
}
