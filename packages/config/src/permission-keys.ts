// The key `permissions`: rules of the user, and those of a project that ask or deny.
import { entryShape, readRuleEntry, termTypes, type WrittenRule } from "@signalbox/rules";
import { z } from "zod";
import { combinedKey, explained } from "./config-key.ts";
import type { Ignore } from "./project-policy.ts";

interface ConfiguredRule extends WrittenRule {
  readonly source: "user" | "project";
}

const rule = z.string();

const termKeys = Object.fromEntries(termTypes.map((type) => [type, z.string()])) as Record<
  (typeof termTypes)[number],
  z.ZodString
>;

const terms = "if all these terms match, joined by commas: `kind:edit`, `command:git *`, `path:src/**`, `all`.";

const permission = z
  .strictObject({
    allow: explained(rule, `Allows a tool call ${terms}`),
    ask: explained(rule, `Asks about a tool call ${terms}`),
    deny: explained(rule, `Denies a tool call ${terms}`),
    decision: explained(
      z.enum(["allow", "ask", "deny"]),
      "Instead of a rule in one line: the decision, with a key for each term beside it.",
    ),
    ...termKeys,
  })
  .partial()
  .superRefine((entry, context) => {
    const problem = readRuleEntry(entry);
    if (typeof problem !== "string") return;
    const [name, ...others] = Object.keys(entry);
    const path = problem === entryShape || name === undefined || others.length > 0 ? [] : [name];
    context.addIssue({ code: "custom", path, message: problem === entryShape ? `expected ${entryShape}` : problem });
  });

type PermissionEntry = z.infer<typeof permission>;

export const permissionsKey = combinedKey(z.array(permission), {
  project: "tighten: `ask` and `deny`, never `allow`",
  help: "Rules. Deny beats ask beats allow.",
  see: "[permissions](permissions.md)",
  unset: "none: you are asked about everything",
  combine: (user = [], project = [], ignore): readonly ConfiguredRule[] => [
    ...readRules(user).map((written) => ({ ...written, source: "user" as const })),
    ...keepTightening(readRules(project), ignore),
  ],
});

/** The entries have passed the schema. */
function readRules(list: readonly PermissionEntry[]): readonly WrittenRule[] {
  return list.map(readRuleEntry).filter((read) => typeof read !== "string");
}

function keepTightening(rules: readonly WrittenRule[], ignore: Ignore): readonly ConfiguredRule[] {
  return rules.flatMap((written, index) => {
    if (written.decision !== "allow") return [{ ...written, source: "project" as const }];
    ignore("a project cannot allow anything", `[${index}]`);
    return [];
  });
}
