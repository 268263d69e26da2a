// From a provider's name to a model. Each provider is loaded only when it is used.
import type { Model } from "./model.ts";

export const providerNames = ["demo"] as const;

export type ProviderName = (typeof providerNames)[number];

export async function openModel(provider: ProviderName): Promise<Model> {
  switch (provider) {
    case "demo":
      return (await import("./demo/demo-model.ts")).demoModel;
  }
}
