// The keys of config.json: what the user and the project may say, and what is expected of each.
import { toolKinds } from "@signalbox/tool-calls";
import { z } from "zod";
import { parseRuleText } from "./rule-text.ts";

const providerKeys = {
  api_key_env: z.string().min(1).describe("The environment variable that holds the key"),
  base_url: z.url().describe("The full prefix of the API"),
  headers: z.record(z.string(), z.string()).describe("Sent with every request"),
  model: z.string().min(1),
  model_fast: z.string().min(1).describe("Answers what is simple, and decides what is"),
  model_complex: z.string().min(1).describe("Does the work that needs a plan"),
  max_output_tokens: z.int().positive(),
  context_window: z.int().positive().describe("Tokens that fit into one request, where we do not know it"),
};

const line = z
  .string()
  .refine((text) => parseRuleText(text) !== null, 'a rule such as "kind:edit", "command:git *", "path:src/**" or "all"')
  .describe("Terms that must all hold, joined by commas");

/** In one line (`allow`, `ask`, `deny`), or with a `decision` and a key for each term. */
const ruleKeys = {
  allow: line.optional(),
  ask: line.optional(),
  deny: line.optional(),
  decision: z.enum(["allow", "ask", "deny"]).optional(),
  agent: z.string().min(1).optional(),
  tool: z.string().min(1).optional().describe("The tool's name; * is any text"),
  kind: z.enum(toolKinds).optional(),
  path: z.string().min(1).optional().describe("From the session's folder; ** goes into folders"),
  command: z.string().min(1).optional().describe("The whole command; * is any text without shell operators"),
};

export const configSchema = z
  .strictObject({
    $schema: z.string(),
    provider: z.string().min(1).describe("The name of one of the providers"),
    providers: z.record(z.string(), z.strictObject(providerKeys).partial()),
    agents: z
      .record(
        z.string(),
        z
          .strictObject({
            command: z.string(),
            args: z.array(z.string()),
            env: z.record(z.string(), z.string()),
            label: z.string(),
          })
          .partial({ args: true, env: true, label: true }),
      )
      .describe("Agents besides our own, for the host"),
    mcpServers: z
      .record(z.string(), z.unknown())
      .describe("The usual shape: command, args, env; or type, url, headers"),
    permissions: z
      .array(z.strictObject(ruleKeys).refine(isOneRule, 'one of {"allow": RULE}, {"ask": RULE}, {"deny": RULE}'))
      .describe("Deny beats ask beats allow"),
    permission_timeout_s: z.number().positive().describe("How long the host waits for an answer"),
    agent_idle_s: z.number().positive().describe("After how long the host stops an idle agent"),
    sandbox: z
      .strictObject({
        mode: z.enum(["sandbox", "rx", "rwx", "off"]),
        network: z.boolean().describe("Whether commands have the network without asking"),
        writable: z.array(z.string()).describe("Folders that may be written besides the session's own"),
        terminal: z.enum(["own", "client"]).describe("Where commands run: in our sandbox, or in the client's terminal"),
      })
      .partial(),
    fetch: z
      .strictObject({ private_hosts: z.array(z.string()).describe("Hosts at private addresses that may be fetched") })
      .partial(),
    web_search: z.strictObject({
      engine: z.enum(["searxng", "brave"]),
      url: z.url(),
      api_key_env: z.string().min(1).optional(),
    }),
    limits: z
      .strictObject({
        max_turns: z.int().positive().describe("Requests to the model in one turn"),
        tool_timeout_s: z.number().positive(),
        budget_usd: z.number().positive().describe("For one session"),
        stall_timeout_s: z.number().positive().describe("How long an answer of a model may pause"),
      })
      .partial(),
  })
  .partial();

export type ConfigFile = z.infer<typeof configSchema>;
export type ProviderKeys = NonNullable<ConfigFile["providers"]>[string];
export type PermissionRule = NonNullable<ConfigFile["permissions"]>[number];

function isOneRule({ allow, ask, deny, decision, ...terms }: z.infer<z.ZodObject<typeof ruleKeys>>): boolean {
  const lines = [allow, ask, deny].filter((text) => text !== undefined).length;
  return decision === undefined ? lines === 1 && Object.keys(terms).length === 0 : lines === 0;
}
