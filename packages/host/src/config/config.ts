// What a person configured: `config.json` in the data folder, and `.signalbox/config.json` of a project, which can only tighten. A file
// that cannot be read is an error that names the file, the key and what was expected.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { formatRule, parseRule, type RuleDecision, type RuleTerm } from "@signalbox/protocol";
import { readPlainText } from "@signalbox/sandbox";
import { z } from "zod";
import { messageOf, StartError } from "../data/host-error.ts";

const rule = z
  .string()
  .refine((text) => parseRule(text) !== null, 'a rule such as "kind:edit", "command:git *", "path:src/**" or "all"');

const pattern = z.string().min(1).optional();

/** In one line as people write it, or with a key for each term, as the agent of Signalbox reads it from the same file. */
const permission = z.union(
  [
    z.strictObject({ allow: rule }),
    z.strictObject({ ask: rule }),
    z.strictObject({ deny: rule }),
    z.strictObject({
      decision: z.enum(["allow", "ask", "deny"]),
      agent: pattern,
      kind: pattern,
      tool: pattern,
      path: pattern,
      command: pattern,
    }),
  ],
  'one of {"allow": RULE}, {"ask": RULE}, {"deny": RULE}',
);

const agent = z.strictObject({
  command: z.string().min(1),
  args: z.array(z.string()).default([]),
  env: z.record(z.string(), z.string()).default({}),
  label: z.string().optional(),
});

/** Room for any honest configuration. */
const mostBytes = 1024 * 1024;

const ruleTerms = ["agent", "kind", "tool", "path", "command"] as const;

/** Keys of other rooms (providers, mcpServers, limits) are theirs to check. */
export const configSchema = z.looseObject({
  agents: z.record(z.string().regex(/^[\w.-]+$/, "letters, digits, dots and dashes"), agent).default({}),
  permissions: z.array(permission).default([]),
  permission_timeout_s: z.number().positive().max(86_400).default(3600),
  agent_idle_s: z.number().positive().max(86_400).default(1800),
  sandbox: z
    .strictObject({
      mode: z.enum(["sandbox", "rx", "rwx", "off"]).default("sandbox"),
      network: z.boolean().default(false),
      writable: z.array(z.string()).default([]),
      /** Where our agent runs its commands; for it to read. */
      terminal: z.enum(["own", "client"]).optional(),
    })
    .prefault({}),
});

export type Config = z.infer<typeof configSchema>;

/** The variables in which the user's config says that keys are, whatever they are called: no command gets them. */
export function keyVariables({ providers, web_search }: Config): readonly string[] {
  const places = typeof providers === "object" && providers !== null ? Object.values(providers) : [];
  return [...places, web_search].flatMap((place: unknown) => keyPlace.safeParse(place).data?.api_key_env ?? []);
}

const keyPlace = z.looseObject({ api_key_env: z.string() });

export interface ConfiguredRule {
  readonly decision: RuleDecision;
  readonly match: string;
}

export function readConfig(dataFolder: string): Config {
  const file = join(dataFolder, "config.json");
  return parseConfig(readJson(file), file);
}

/** A project comes from somebody else: it may ask for more questions and forbid more, never allow. */
export function readProjectRules(folder: string): readonly ConfiguredRule[] {
  const file = join(folder, ".signalbox", "config.json");
  return rulesOf(parseConfig(readJson(file), file)).filter(({ decision }) => decision !== "allow");
}

export function rulesOf({ permissions }: Config): readonly ConfiguredRule[] {
  return permissions.flatMap((entry): readonly ConfiguredRule[] => {
    if (!("decision" in entry)) {
      return Object.entries(entry).map(([decision, match]) => ({ decision: decision as RuleDecision, match }));
    }
    const terms = ruleTerms.flatMap((type): readonly RuleTerm[] => {
      const given = entry[type];
      return given === undefined ? [] : [{ type, pattern: given }];
    });
    return [{ decision: entry.decision, match: formatRule(terms.length === 0 ? [{ type: "all" }] : terms) }];
  });
}

export function parseConfig(value: unknown, file: string): Config {
  const result = configSchema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const key = issue?.path.join(".") ?? "";
  // Of a name that is not right, what names may be is said one level deeper.
  const expected = issue?.code === "invalid_key" ? issue.issues[0]?.message : issue?.message;
  throw new StartError(`${file}: ${key === "" ? "the file" : `"${key}"`} is not right: ${expected ?? "unknown"}.`);
}

function readJson(file: string): unknown {
  if (!existsSync(file)) return {};
  const text = readText(file);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new StartError(`${file} is not JSON: ${messageOf(error)}. Mend it or move it away.`, { cause: error });
  }
}

/** A project's file may be a stranger's: a device without end, a pipe that nobody writes to, a disk full of spaces. */
function readText(file: string): string {
  try {
    return readPlainText(file, mostBytes);
  } catch (error) {
    throw new StartError(`${file} cannot be read: ${messageOf(error)}. Mend it or move it away.`, { cause: error });
  }
}
