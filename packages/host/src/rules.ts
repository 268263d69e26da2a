// Lets `signalbox rules` read and test rules without loading a host.
import type { RuleRow } from "@signalbox/protocol";
import { rulesFile } from "./data/data-folder.ts";
import { readUserConfig } from "./data/user-config.ts";
import { RuleStore } from "./permissions/rule-store.ts";

export { testRule } from "./permissions/test-rule.ts";

/** The user's rules while no host runs. A project's rules are known to a host that has a thread there. Throws a StartError when config.json is wrong. */
export function listStoredRules(dataFolder: string, onProblem: (problem: string) => void): readonly RuleRow[] {
  const rules = new RuleStore(rulesFile(dataFolder), onProblem);
  rules.setConfig(readUserConfig(dataFolder).config.permissions);
  return rules.list();
}
