// Offers the model as a config option of the session.
import type { SessionConfigOption } from "@agentclientprotocol/sdk";
import type { SdkModel } from "../sdk/sdk.ts";

export const modelOptionId = "model";

/** No option where Claude Code offers no models. Without a choice, it is Claude Code's default. */
export function modelOption(models: readonly SdkModel[], chosen: string | null): SessionConfigOption[] {
  const [first] = models;
  if (first === undefined) return [];
  const current = models.find(({ value }) => value === (chosen ?? "default")) ?? first;
  return [
    {
      id: modelOptionId,
      name: "Model",
      category: "model",
      type: "select",
      currentValue: current.value,
      options: models.map(({ value, displayName, description }) => ({ value, name: displayName, description })),
    },
  ];
}
