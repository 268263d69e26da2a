// The rules of the config that are about our agent, as its permissions read them.
import type { ConfiguredRule } from "@signalbox/config";
import { toolKinds } from "@signalbox/tool-calls";
import { nameFits, parseRuleText } from "./rule-text.ts";

export interface ConfigRule {
  readonly decision: "allow" | "ask" | "deny";
  readonly tool?: string;
  readonly kind?: (typeof toolKinds)[number];
  readonly path?: string;
  readonly command?: string;
}

/** The name under which rules can mean our agent. */
const ourName = "signalbox";

/** One rule may be several, one for each kind that it means, or none when it is about another agent. */
export function rulesIn({ decision, match }: ConfiguredRule): readonly ConfigRule[] {
  const { agent, kind, ...rest } = parseRuleText(match) ?? {};
  if (agent !== undefined && !nameFits(agent, ourName)) return [];
  const rule = { decision, ...rest };
  return kind === undefined
    ? [rule]
    : toolKinds.filter((name) => nameFits(kind, name)).map((name) => ({ ...rule, kind: name }));
}
