// Lists what the catalogue knows of models, and gets the newest list, for `signalbox models`. It does not open the register.
import { resolve } from "node:path";
import { Catalogue, type ModelFacts } from "@signalbox/config/models";
import { providerNames } from "@signalbox/config/providers";
import { defaultDataFolder } from "./data/data-folder.ts";
import { refreshModelList } from "./data/model-list.ts";
import { readUserConfig } from "./data/user-config.ts";

interface ListedModel extends ModelFacts {
  readonly provider: string;
  readonly model: string;
}

interface ModelList {
  /** The day on which the list was fetched, or that of the one that comes with Signalbox. */
  readonly asOf: string;
  readonly fetchedFrom: string | undefined;
  readonly models: readonly ListedModel[];
}

/** Of our providers, and of those in config.json. Throws a StartError when the configuration cannot be read, a HostError when the list cannot be fetched. */
export async function listModels(
  dataFolder: string | undefined,
  { refresh }: { refresh: boolean },
): Promise<ModelList> {
  const path = resolve(dataFolder ?? defaultDataFolder());
  const { providers } = readUserConfig(path).config;
  if (refresh) await refreshModelList(path);
  const catalogue = new Catalogue(path, providers);
  const names = new Set([...providerNames, ...Object.keys(providers)]);
  return {
    asOf: catalogue.asOf,
    fetchedFrom: catalogue.fetchedFrom,
    models: [...names].flatMap((provider) =>
      catalogue.names(provider).map((model) => ({ provider, model, ...catalogue.facts(provider, model) })),
    ),
  };
}
