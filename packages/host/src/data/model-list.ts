// The list of models in the data folder: of what day it is, and how a newer one is fetched.
import { Catalogue, refreshModels } from "@signalbox/config/models";
import type { SetupRow } from "@signalbox/protocol";
import { HostError } from "./host-error.ts";

/** Of what day the list of a data folder is. */
export function describeModelList(dataFolder: string): SetupRow["models"] {
  const { asOf, fetchedFrom = null } = new Catalogue(dataFolder, {});
  return { as_of: asOf, fetched_from: fetchedFrom };
}

/** Throws a HostError when the list cannot be fetched; then the one before stays. */
export async function refreshModelList(dataFolder: string): Promise<void> {
  try {
    await refreshModels(dataFolder, process.env);
  } catch (error) {
    throw new HostError("unavailable", (error as Error).message, { cause: error });
  }
}
