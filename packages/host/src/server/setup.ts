// What this machine has, for the greeting and the settings: which keys are there (never what they are), whether Ollama runs, the sandbox.
import { homedir } from "node:os";
import type { ListeningRow, SetupRow } from "@signalbox/protocol";
import type { Enforcement } from "@signalbox/sandbox";
import { describeEnforcement } from "@signalbox/sandbox";
import type { Config } from "../config/config.ts";

const keys = [
  { name: "openai", variables: ["OPENAI_API_KEY"] },
  { name: "anthropic", variables: ["ANTHROPIC_API_KEY"] },
  { name: "gemini", variables: ["GEMINI_API_KEY", "GOOGLE_API_KEY"] },
  { name: "openrouter", variables: ["OPENROUTER_API_KEY"] },
] as const;

/** A local server answers at once or is not there. */
const ollamaMilliseconds = 500;

export async function describeSetup(input: {
  readonly version: string;
  readonly dataFolder: string;
  readonly config: Config;
  readonly enforcement: Enforcement;
  readonly listening: ListeningRow | null;
}): Promise<SetupRow> {
  const { version, dataFolder, config, enforcement, listening } = input;
  return {
    version,
    data_dir: dataFolder,
    start_folder: process.cwd(),
    home_folder: homedir(),
    providers: keys.map(({ name, variables }) => {
      const present = variables.find((variable) => (process.env[variable] ?? "") !== "");
      return { name, key_present: present !== undefined, variable: present ?? variables[0] };
    }),
    listening,
    ollama: await askOllama(),
    sandbox: {
      enforced: enforcement.kind !== "off" && enforcement.kind !== "unavailable",
      by: describeEnforcement(enforcement),
      reason: enforcement.kind === "unavailable" ? `${enforcement.reason} ${enforcement.remedy}` : null,
      mode: config.sandbox.mode,
      network: config.sandbox.network,
    },
  };
}

async function askOllama(): Promise<SetupRow["ollama"]> {
  const given = process.env.OLLAMA_HOST ?? "http://127.0.0.1:11434";
  const address = /^https?:/.test(given) ? given : `http://${given}`;
  try {
    const answer = await fetch(new URL("/api/tags", address), { signal: AbortSignal.timeout(ollamaMilliseconds) });
    const { models } = (await answer.json()) as { models?: { name?: unknown }[] };
    const names = (models ?? []).map(({ name }) => name).filter((name) => typeof name === "string");
    return { running: answer.ok, models: names };
  } catch {
    return { running: false, models: [] };
  }
}
