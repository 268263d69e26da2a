// Says who answers a new thread of an agent: provider, model, price.
import type { AgentModelRow, AgentRow } from "@signalbox/protocol";
import { money } from "@signalbox/protocol/sizes";

/** `Signalbox · OpenAI gpt-6.1-sol`; only the label where the host does not know the model. */
export function describeAgent({ label, model = null }: AgentRow): string {
  return model === null ? label : `${label} · ${describeModel(model)}`;
}

export function describeModel({ provider, name }: AgentModelRow): string {
  return name === null ? provider : `${provider} ${name}`;
}

/** Empty where the price is not known. */
export function describePrice({ input_usd: input, output_usd: output }: AgentModelRow): string {
  if (input === null || output === null) return "";
  if (input === 0 && output === 0) return "free";
  return `${money(input, "USD")} in, ${money(output, "USD")} out per million tokens`;
}
