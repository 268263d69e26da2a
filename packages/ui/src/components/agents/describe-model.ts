// Says who answers a new thread of an agent: provider, model, price.
import type { AgentRow } from "@signalbox/protocol";
import { money } from "@signalbox/protocol/sizes";

/** `OpenAI gpt-6.1-sol`; empty where the host does not know it. */
export function describeModel(model: AgentRow["model"]): string {
  return [model?.provider ?? "", model?.name ?? ""].join(" ").trim();
}

/** Empty where the price is not known. */
export function describePrice(model: AgentRow["model"]): string {
  const { input_usd: input = null, output_usd: output = null } = model ?? {};
  if (input === null || output === null) return "";
  if (input === 0 && output === 0) return "free";
  return `${money(input, "USD")} in, ${money(output, "USD")} out per million tokens`;
}
