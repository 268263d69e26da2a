// Gets the newest list of models and keeps it in the data folder. The list before stays when that fails.
import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { boundedJson } from "../bounded-json.ts";
import { fetchedModelsFile } from "./catalogue.ts";
import { readModels, withoutTheRest } from "./models-dev.ts";

const publicAddress = "https://models.dev/api.json";
/** It had 5 MB in November 2026. */
const maxBytes = 50_000_000;

/** Throws an Error that says what to do. */
export async function refreshModels(dataFolder: string, env: NodeJS.ProcessEnv): Promise<void> {
  const url = env.SIGNALBOX_MODELS_URL || publicAddress;
  try {
    const json = await boundedJson(url, maxBytes);
    if (Object.keys(readModels(json)).length === 0) throw new Error("it lists no model");
    mkdirSync(dataFolder, { recursive: true, mode: 0o700 });
    const file = fetchedModelsFile(dataFolder);
    const unfinished = `${file}.${process.pid}`;
    const kept = {
      as_of: new Date().toISOString().slice(0, 10),
      url: withoutSecrets(url),
      models: withoutTheRest(json),
    };
    writeFileSync(unfinished, JSON.stringify(kept), { mode: 0o600 });
    renameSync(unfinished, file);
  } catch (error) {
    const reason = (error instanceof Error ? error.message : String(error)).replaceAll(url, withoutSecrets(url));
    throw new Error(
      `The list of models at ${withoutSecrets(url)} cannot be used: ${reason}. The list before stays; try again later. SIGNALBOX_MODELS_URL names another address.`,
      { cause: error },
    );
  }
}

/** An address of one's own may have a password in it. */
function withoutSecrets(url: string): string {
  return URL.canParse(url) ? url.replace(/\/\/[^/]*@/, "//").replace(/[?#].*$/, "") : url;
}
