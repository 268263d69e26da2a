// Every key of config.json, once: its type, its default, what a project's file may do with it, and its texts. The types, the merge, config.schema.json,
// docs/config.md and the forms of the settings page are made from this table.
import { z } from "zod";
import { agentKeys } from "./agent-keys.ts";
import { combinedKey, entries, explained, key, section } from "./config-key.ts";
import { permissionsKey } from "./permission-keys.ts";
import { choose, lower, never } from "./project-policy.ts";
import { providerKeys } from "./provider-keys.ts";
import { sandboxKeys } from "./sandbox-keys.ts";

/** A longer time would overflow a timer of Node. */
const seconds = z.number().positive().max(86_400);
const days = z.number().positive();
const dollars = z.number().positive();

const allThreads = "it applies to all threads";

const limitsForm = "Budget and limits";

/** As written, not checked: the agent does that when it starts the servers, and gives a project's neither network nor keys. */
export interface McpServers {
  readonly user: Readonly<Record<string, unknown>>;
  readonly project: Readonly<Record<string, unknown>>;
}

const shared = z.strictObject({
  url: explained(
    z.string().min(1).optional(),
    "Its address: `postgres://USER:PASSWORD@HOST/DATABASE`. `SIGNALBOX_SHARED_URL` overrides it.",
    { unset: "none" },
  ),
  machine: explained(
    z
      .string()
      .regex(/^[\w.-]{1,64}$/, "expected letters, digits, dots and dashes")
      .optional(),
    "The name of this machine.",
    { unset: "its host name" },
  ),
  control: explained(
    z.enum(["off", "signed"]).default("off"),
    "Whether other machines may send prompts and answers to this one: `off` or `signed`.",
  ),
  folders: explained(z.array(z.string().min(1)).default([]), "Shares only threads in these folders and below them.", {
    unset: "all",
  }),
  redact: explained(z.boolean().default(false), "Keeps text that looks like a secret on this machine."),
  retention_days: explained(
    days.optional(),
    "Removes threads inactive for this many days from the shared database. They stay on this machine.",
    { unset: "never" },
  ),
});

export const configKeys = section(
  { help: "config.json of Signalbox." },
  {
    $schema: key(z.string(), {
      project: choose(),
      help: "The address of the JSON schema, for completion in an editor.",
      unset: "none",
    }),
    provider: key(z.string().min(1), {
      project: choose(),
      help: "The provider of Signalbox's own agent: a known one, or a name under `providers`.",
      see: "[keys and addresses](#keys-and-addresses)",
      unset: "the first whose key is set",
      form: { section: "Models and keys", label: "Provider of new threads" },
    }),
    providers: entries(
      { help: "How to reach each provider, by name.", see: "[agent](agent.md#providers)" },
      z.string(),
      providerKeys,
    ),
    agents: entries(
      { help: "Agents of your own, by id. The id of a known agent replaces it.", see: "[agents](agents.md#your-own)" },
      z.string().regex(/^[\w.-]+$/, "expected letters, digits, dots and dashes"),
      agentKeys,
    ),
    // Pasted from other tools, with keys of theirs: checked one by one when the servers start, so that a wrong one does not stop the others.
    mcpServers: combinedKey(z.record(z.string(), z.unknown()), {
      project: "add: a project's servers run in the sandbox, without network and without your keys",
      help: 'MCP servers for Signalbox\'s own agent in the usual shape: `command`, `args`, `env`; or `type`, `url`, `headers`. `${NAME}` stands for an environment variable, and `"disabled": true` switches a server off. A wrong entry is reported, and the others run.',
      see: "[MCP servers](tools.md#mcp-servers)",
      unset: "none",
      combine: (user = {}, project = {}): McpServers => ({ user, project }),
    }),
    permissions: permissionsKey,
    permission_timeout_s: key(seconds, {
      default: 3600,
      project: never(allThreads),
      help: "Denies a question that has no answer after this many seconds.",
    }),
    sandbox: sandboxKeys,
    worktree: section(
      { help: "For threads in a git worktree of their own.", see: "[changes](changes.md#a-worktree-for-a-thread)" },
      {
        setup: key(z.string().min(1), {
          project: choose(),
          help: "A shell command that prepares a new worktree, such as `npm ci`. It runs in the sandbox before the first prompt; without a sandbox it needs permission.",
          unset: "none",
        }),
      },
    ),
    diagnostics: key(
      z
        .array(
          z.strictObject({
            glob: explained(z.string().min(1).max(1000), "The files to check, such as `**/*.ts`. Required."),
            command: explained(
              z.string().min(1),
              "A shell command that prints problems and fails if there are any: `npx eslint {file}`. Required.",
            ),
          }),
        )
        .max(20),
      {
        default: [],
        // They run in the sandbox like any command.
        project: choose(),
        help: "Checkers that run after an edit by Signalbox's own agent. The model is told about new problems.",
        see: "[tools](tools.md#diagnostics)",
      },
    ),
    editor: key(z.string().min(1), {
      project: never("it would choose which programs run"),
      help: "The command that opens a file from the page, without a shell: `code --goto {path}:{line}`. It must open a window. The name is enough for VS Code and its forks, Zed, Sublime Text, JetBrains, Kate, gedit, TextMate and Emacs (`emacsclient`).",
      unset: "`$VISUAL` or `$EDITOR`, if it names one of these",
    }),
    fetch: section(
      { help: "For the tool `fetch` of Signalbox's own agent.", see: "[tools](tools.md)" },
      {
        private_hosts: key(z.array(z.string()), {
          default: [],
          project: never("it would open private addresses"),
          help: "Hosts at private addresses that may be fetched.",
          form: {
            section: "Sandbox and network",
            label: "Private hosts that the tool fetch may read",
            placeholder: "wiki.internal",
          },
        }),
      },
    ),
    web_search: key(
      z.strictObject({
        engine: explained(z.enum(["searxng", "brave"]), "`searxng` or `brave`. Required."),
        url: explained(z.url(), "Its address. Required."),
        api_key_env: explained(z.string().min(1).optional(), "The environment variable that holds its key.", {
          unset: "none",
        }),
      }),
      {
        project: never("it would send your questions elsewhere"),
        help: "Turns on the tool `web_search` of Signalbox's own agent.",
        unset: "off",
      },
    ),
    shared: key(shared, {
      default: shared.parse({}),
      project: never("it would send your threads elsewhere"),
      help: "A PostgreSQL database in which this machine shares its threads with others.",
      see: "[many machines](many-machines.md)",
      unset: "off",
    }),
    retention_days: key(days, {
      project: never("it would delete threads of other folders"),
      help: "Deletes threads inactive for this many days, a minute after the start and every six hours. Keeps pinned threads, threads in which something runs or waits, and worktrees with uncommitted work.",
      unset: "never",
      form: { section: "Data", label: "Delete inactive threads after", unit: "days" },
    }),
    limits: section(
      { help: "For Signalbox's own agent." },
      {
        budget_usd: key(dollars, {
          project: lower,
          help: "The most that one session may cost.",
          unset: "none",
          form: { section: limitsForm, label: "Session budget", unit: "US$" },
        }),
        max_turns: key(z.int().positive(), {
          default: 500,
          project: lower,
          help: "Requests to the model in one turn.",
          form: { section: limitsForm, label: "Model requests per turn" },
        }),
        tool_timeout_s: key(seconds, {
          default: 120,
          project: lower,
          help: "How long one tool call may take. `bash` may ask for up to 600 s, after which the command continues in the background.",
          form: { section: limitsForm, label: "Tool call timeout", unit: "s" },
        }),
        stall_timeout_s: key(seconds, {
          default: 120,
          project: lower,
          help: "How long an answer of a model may pause.",
          form: { section: limitsForm, label: "Stalled-answer timeout", unit: "s" },
        }),
      },
    ),
    day_budget_usd: key(dollars, {
      project: never(allThreads),
      help: "When the turns of today have cost this much, no further prompt is accepted until midnight. Counts costs that agents report in US dollars.",
      unset: "none",
      form: { section: limitsForm, label: "Daily budget, all agents", unit: "US$" },
    }),
    agent_idle_s: key(seconds, {
      default: 1800,
      project: never(allThreads),
      help: "Stops an agent that does nothing for this long. The next prompt starts it again.",
      form: { section: limitsForm, label: "Idle timeout", unit: "s" },
    }),
    agent_start_s: key(seconds, {
      default: 60,
      project: never(allThreads),
      help: "Stops an agent that prints nothing for this long while it starts. One that prints something gets up to ten times as long.",
      form: { section: limitsForm, label: "Startup timeout", unit: "s" },
    }),
  },
);

export const configSchema = configKeys.schema;

/** One file as it is written. */
export type ConfigFile = z.infer<typeof configSchema>;
/** The user's file and a project's, merged, with every default filled in. */
export type Config = ReturnType<typeof configKeys.merge>;
export type ProviderConfig = z.infer<typeof providerKeys.schema>;
/** One entry of `diagnostics`. */
export type Checker = Config["diagnostics"][number];
