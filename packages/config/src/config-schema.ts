// The schema of config.json, the user's and a project's. It is the only list of keys: config.schema.json is generated from it.
import { entryShape, readRuleEntry, termTypes, type WrittenRule } from "@signalbox/rules";
import { z } from "zod";
import { thinkingLevels } from "./models/model-facts.ts";

/** Above this a timer of Node overflows. */
const seconds = z.number().positive().max(86_400);

const rule = z
  .string()
  .describe("Terms that must all match, joined by commas: kind:edit, command:git *, path:src/**, all");

const termKeys = Object.fromEntries(termTypes.map((type) => [type, z.string()])) as Record<
  (typeof termTypes)[number],
  z.ZodString
>;

const permissionKeys = z
  .strictObject({
    allow: rule,
    ask: rule,
    deny: rule,
    decision: z.enum(["allow", "ask", "deny"]).describe("With a key for each term, in place of a rule in one line"),
    ...termKeys,
  })
  .partial();

type PermissionEntry = z.infer<typeof permissionKeys>;

const permission = permissionKeys.superRefine((entry, context) => {
  const problem = readRuleEntry(entry);
  if (typeof problem !== "string") return;
  const [key, ...others] = Object.keys(entry);
  const path = problem === entryShape || key === undefined || others.length > 0 ? [] : [key];
  context.addIssue({ code: "custom", path, message: problem === entryShape ? `expected ${entryShape}` : problem });
});

const price = z.number().min(0);

const model = z
  .strictObject({
    context_window: z.int().positive().describe("Tokens that fit into one request"),
    max_output_tokens: z.int().positive().describe("Tokens of the longest answer, thoughts included"),
    thinking: z
      .array(z.enum(thinkingLevels))
      .describe("The levels that it takes, from little to much; an empty list: it does not think"),
    images: z.boolean().describe("Whether it sees images"),
    price: z
      .strictObject({ input: price, output: price, cache_read: price.optional(), cache_write: price.optional() })
      .describe("US dollars per million tokens"),
  })
  .partial();

const provider = z
  .strictObject({
    api_key_env: z.string().min(1).describe("The environment variable that holds the key"),
    base_url: z.url().describe("The full prefix of the API"),
    api: z
      .enum(["chat", "responses"])
      .describe("Which API of OpenAI the server has; found out by itself when left out"),
    headers: z.record(z.string(), z.string()).describe("Sent with every request"),
    model: z.string().min(1),
    model_fast: z.string().min(1).describe("Answers simple prompts, and decides which are simple"),
    model_complex: z.string().min(1).describe("Does the work that needs a plan"),
    max_output_tokens: z.int().positive(),
    context_window: z.int().positive().describe("Tokens that fit into one request, for a model we do not know"),
    models: z
      .record(z.string().min(1), model)
      .describe("What is known of models by name; it wins over the catalogue (signalbox models)"),
  })
  .partial();

const agentKeys = z.strictObject({
  command: z.string().min(1).optional(),
  args: z.array(z.string()).optional(),
  env: z.record(z.string(), z.string()).optional(),
  label: z.string().optional(),
  quirks: z
    .strictObject({
      read_missing_file: z
        .enum(["not_found", "empty"])
        .describe("What reading a missing file answers; with empty text some agents can create files"),
      ends_at_stdin_end: z.boolean().describe("False: it is ended by a signal"),
    })
    .partial()
    .optional()
    .describe("How it differs from the protocol; wins over what is known of the agent"),
  sandbox: z
    .boolean()
    .optional()
    .describe("Whether the whole agent runs inside the sandbox; may stand alone, for a known agent"),
});

/** Where the value is, never the value itself. */
const credential = z
  .strictObject({
    host: z.string().min(1).describe("The exact name, with a port if it is not 443: api.example.com"),
    header: z
      .string()
      .regex(/^[A-Za-z][A-Za-z0-9-]*$/, "expected the name of a header")
      .optional()
      .describe("The header that is set; authorization by default"),
    prefix: z
      .string()
      .max(100)
      .optional()
      .describe('What stands before the value; "Bearer " by default for authorization, nothing for other headers'),
    env: z.string().min(1).optional().describe("The variable of Signalbox's own environment that has the value"),
    key: z
      .strictObject({ agent: z.string().min(1), variable: z.string().min(1) })
      .optional()
      .describe("A key that was given to Signalbox on the page"),
  })
  .refine(({ env, key }) => (env === undefined) !== (key === undefined), "expected either env or key");

/** An entry with only `sandbox` is about a known agent. */
const agent = agentKeys.superRefine(({ command, sandbox, ...others }, context) => {
  if (command !== undefined || (sandbox !== undefined && Object.keys(others).length === 0)) return;
  context.addIssue({ code: "custom", path: ["command"], message: "expected the program to start" });
});

export const configSchema = z
  .strictObject({
    $schema: z.string(),
    provider: z.string().min(1).describe("The provider of our agent: one of ours, or a name under providers"),
    providers: z.record(z.string(), provider),
    agents: z
      .record(z.string().regex(/^[\w.-]+$/, "expected letters, digits, dots and dashes"), agent)
      .describe("Agents besides the known ones; the id of a known agent replaces it"),
    // Pasted from other tools, with keys of theirs: checked one by one when the servers start, and a wrong one stops none of the others.
    mcpServers: z
      .record(z.string(), z.unknown())
      .describe("The usual shape: command, args, env; or type, url, headers"),
    permissions: z.array(permission).describe("Deny beats ask beats allow"),
    permission_timeout_s: seconds.describe("A question without an answer is denied after this time"),
    agent_idle_s: seconds.describe("An agent that did nothing for this time is stopped"),
    agent_start_s: seconds.describe("An agent that is silent for this time while it starts is stopped"),
    sandbox: z
      .strictObject({
        mode: z.enum(["sandbox", "rx", "rwx", "off"]),
        network: z
          .union([
            z.boolean(),
            z.strictObject({
              allow: z
                .array(z.string().min(1))
                .describe("example.com, *.example.com, example.com:8443, 127.0.0.1:11434, 10.0.0.0/8"),
            }),
          ])
          .describe(
            "Whether commands have the network without asking; or the hosts that commands and agents inside the sandbox reach",
          ),
        ask_commands: z
          .boolean()
          .describe("Whether our agent asks also about commands that the sandbox holds, without the network"),
        credentials: z
          .record(z.string().regex(/^[\w.-]+$/, "expected letters, digits, dots and dashes"), credential)
          .describe(
            "Keys that the proxy of a network by name adds to requests for a host, so that no command sees them",
          ),
        writable: z.array(z.string()).describe("Folders that may be written besides the session's own"),
        terminal: z
          .enum(["auto", "own", "client"])
          .describe(
            "Where our agent runs commands: own: in its sandbox; client: in the client's terminals; auto: there if they have the same sandbox",
          ),
      })
      .partial(),
    worktree: z
      .strictObject({
        setup: z.string().min(1).describe("A shell command that makes a new worktree ready, such as npm ci"),
      })
      .partial(),
    diagnostics: z
      .array(
        z.strictObject({
          glob: z.string().min(1).max(1000).describe("The files it is about, such as **/*.ts"),
          command: z
            .string()
            .min(1)
            .describe("A shell command that prints problems and fails; {file} stands for the edited file"),
        }),
      )
      .max(20)
      .describe("Checkers that run after an edit of our agent; the model is told of new problems"),
    editor: z
      .string()
      .min(1)
      .describe(
        "The command that opens a file from the page, such as code --goto {path}:{line}; default: $VISUAL or $EDITOR",
      ),
    fetch: z
      .strictObject({ private_hosts: z.array(z.string()).describe("Hosts at private addresses that may be fetched") })
      .partial(),
    web_search: z.strictObject({
      engine: z.enum(["searxng", "brave"]),
      url: z.url(),
      api_key_env: z.string().min(1).optional().describe("The environment variable that holds the key"),
    }),
    shared: z
      .strictObject({
        url: z.string().min(1).describe("postgres://USER:PASSWORD@HOST/DATABASE; SIGNALBOX_SHARED_URL wins"),
        machine: z
          .string()
          .regex(/^[\w.-]{1,64}$/, "expected letters, digits, dots and dashes")
          .describe("The name of this machine (default: its host name)"),
        control: z.enum(["off", "signed"]).describe("Whether other machines may send prompts and answers to this one"),
        folders: z.array(z.string().min(1)).describe("Only threads in these folders are shared (default: all)"),
        redact: z.boolean().describe("Whether what looks like a secret stays on this machine"),
        retention_days: z
          .number()
          .positive()
          .describe("Threads without activity for so many days leave the shared database, and stay on this machine"),
      })
      .partial()
      .describe("Many machines, one register: the PostgreSQL database that this machine shares its threads in"),
    retention_days: z
      .number()
      .positive()
      .describe("Threads without activity for so many days are deleted, but for pinned ones (default: never)"),
    day_budget_usd: z
      .number()
      .positive()
      .describe("When the turns of a day have cost so much, no further prompt is taken that day"),
    limits: z
      .strictObject({
        max_turns: z.int().positive().describe("Requests to the model in one turn"),
        tool_timeout_s: seconds,
        budget_usd: z.number().positive().describe("For one session"),
        stall_timeout_s: seconds.describe("How long an answer of a model may pause"),
      })
      .partial(),
  })
  .partial();

/** One file as it is written. */
export type ConfigFile = z.infer<typeof configSchema>;
export type ProviderConfig = z.infer<typeof provider>;
/** One entry of `diagnostics`. */
export type Checker = NonNullable<ConfigFile["diagnostics"]>[number];

/** The entries of `permissions` in the one-line form. They have passed the schema. */
export function rulesOf(entries: readonly PermissionEntry[]): readonly WrittenRule[] {
  return entries.map(readRuleEntry).filter((read) => typeof read !== "string");
}
