// Merges the user's config with a project's. A project can choose models and tighten limits. It cannot loosen anything.
import type { WrittenRule } from "@signalbox/rules";
import { type Checker, type ConfigFile, type ProviderConfig, rulesOf } from "./config-schema.ts";
import { vendorSecrets } from "./providers.ts";

/** A credential of config.json, with what it leaves out filled in. */
export interface CredentialReference {
  readonly name: string;
  readonly host: string;
  readonly header: string;
  readonly prefix: string;
  readonly env?: string | undefined;
  readonly key?: { readonly agent: string; readonly variable: string } | undefined;
}

export interface Config {
  readonly provider: string | undefined;
  readonly providers: Readonly<Record<string, ProviderConfig>>;
  readonly agents: Readonly<Record<string, ConfiguredAgent>>;
  /** Whether a whole agent runs inside the sandbox, by its id; what is missing here, the agent's row decides. */
  readonly agentSandbox: Readonly<Record<string, boolean>>;
  readonly mcpServers: McpServers;
  readonly permissions: readonly ConfiguredRule[];
  readonly permissionTimeoutMs: number;
  readonly agentIdleMs: number;
  readonly agentStartMs: number;
  readonly sandbox: {
    readonly mode: SandboxMode;
    /** False also where it goes by name. */
    readonly network: boolean;
    /** The hosts of a network by name; undefined where it does not go by name. */
    readonly networkAllow: readonly string[] | undefined;
    /** Whether commands that the sandbox holds are asked about all the same. */
    readonly asksCommands: boolean;
    readonly credentials: readonly CredentialReference[];
    readonly writable: readonly string[];
    readonly terminal: "auto" | "own" | "client";
  };
  /** The command that makes a new worktree ready; a project's is run in the sandbox like any command. */
  readonly worktreeSetup: string | undefined;
  /** Checkers that run after an edit; a project's run in the sandbox like any command. */
  readonly diagnostics: readonly Checker[];
  /** The command that opens a file from the page. */
  readonly editor: string | undefined;
  readonly privateHosts: readonly string[];
  readonly webSearch: ConfigFile["web_search"];
  readonly shared: {
    readonly url: string | undefined;
    readonly machine: string | undefined;
    readonly control: "off" | "signed";
    readonly folders: readonly string[];
    readonly redact: boolean;
    readonly retentionDays: number | undefined;
  };
  readonly retentionDays: number | undefined;
  readonly dayBudgetUsd: number | undefined;
  readonly limits: {
    readonly maxTurns: number;
    readonly toolTimeoutMs: number;
    readonly budgetUsd: number | undefined;
    readonly stallTimeoutMs: number;
  };
}

export interface ConfiguredAgent {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly label: string;
  readonly ownQuirks: {
    readonly readMissingFile?: "not_found" | "empty";
    readonly endsAtStdinEnd?: boolean;
  };
}

export interface ConfiguredRule extends WrittenRule {
  readonly source: "user" | "project";
}

/** As written, not checked: the agent does that when it starts them, and gives a project's neither network nor keys. */
export interface McpServers {
  readonly user: Readonly<Record<string, unknown>>;
  readonly project: Readonly<Record<string, unknown>>;
}

type SandboxMode = NonNullable<NonNullable<ConfigFile["sandbox"]>["mode"]>;

/** From the strictest to the loosest. */
const sandboxModes: readonly SandboxMode[] = ["rx", "sandbox", "rwx", "off"];

type Limits = NonNullable<ConfigFile["limits"]>;

const defaultLimits = { max_turns: 500, tool_timeout_s: 120, stall_timeout_s: 120 };

export interface MergedConfig {
  readonly config: Config;
  /** What the project's file tried and may not, one sentence each. */
  readonly ignored: readonly string[];
}

type Ignore = (key: string, reason: string) => void;

export function mergeConfig(user: ConfigFile, project: ConfigFile): MergedConfig {
  const ignored: string[] = [];
  const ignore: Ignore = (key, reason) => ignored.push(`The project's config.json cannot set ${key}: ${reason}.`);
  // Every key of a project's file is named here. A new one does not compile until it is decided what a project may do with it.
  const {
    $schema: _schema,
    provider,
    providers = {},
    agents = {},
    mcpServers = {},
    permissions = [],
    permission_timeout_s,
    agent_idle_s,
    agent_start_s,
    sandbox = {},
    worktree = {},
    diagnostics,
    editor,
    fetch,
    web_search,
    shared,
    retention_days,
    day_budget_usd,
    limits = {},
    ...undecided
  } = project;
  undecided satisfies Record<string, never>;
  if (permission_timeout_s !== undefined) ignore("permission_timeout_s", "it holds for all threads");
  if (agent_idle_s !== undefined) ignore("agent_idle_s", "it holds for all threads");
  if (agent_start_s !== undefined) ignore("agent_start_s", "it holds for all threads");
  if (editor !== undefined) ignore("editor", "it would choose which programs run");
  if (fetch !== undefined) ignore("fetch", "it would open private addresses");
  if (web_search !== undefined) ignore("web_search", "it would send your questions elsewhere");
  if (shared !== undefined) ignore("shared", "it would send your threads elsewhere");
  if (retention_days !== undefined) ignore("retention_days", "it would delete threads of other folders");
  if (day_budget_usd !== undefined) ignore("day_budget_usd", "it holds for all threads");
  return {
    config: {
      provider: provider ?? user.provider,
      providers: mergeProviders(user.providers ?? {}, providers, ignore),
      agents: withDefaults(user.agents ?? {}),
      agentSandbox: stricterAgents(user.agents ?? {}, agents, ignore),
      mcpServers: { user: user.mcpServers ?? {}, project: mcpServers },
      permissions: [
        ...rulesOf(user.permissions ?? []).map((rule) => ({ ...rule, source: "user" as const })),
        ...tighteningRules(rulesOf(permissions), ignore),
      ],
      permissionTimeoutMs: (user.permission_timeout_s ?? 3600) * 1000,
      agentIdleMs: (user.agent_idle_s ?? 1800) * 1000,
      agentStartMs: (user.agent_start_s ?? 60) * 1000,
      sandbox: stricterSandbox(user.sandbox ?? {}, sandbox, ignore),
      worktreeSetup: worktree.setup ?? user.worktree?.setup,
      diagnostics: diagnostics ?? user.diagnostics ?? [],
      editor: user.editor,
      privateHosts: user.fetch?.private_hosts ?? [],
      webSearch: user.web_search,
      shared: {
        url: user.shared?.url,
        machine: user.shared?.machine,
        control: user.shared?.control ?? "off",
        folders: user.shared?.folders ?? [],
        redact: user.shared?.redact ?? false,
        retentionDays: user.shared?.retention_days,
      },
      retentionDays: user.retention_days,
      dayBudgetUsd: user.day_budget_usd,
      limits: lowerLimits({ ...defaultLimits, ...user.limits }, limits, ignore),
    },
    ignored,
  };
}

/** The address of the shared database, which has a password in it, and the key that commands between machines are signed with. */
const sharedSecrets = ["SIGNALBOX_SHARED_URL", "SIGNALBOX_SHARED_KEY"] as const;

/** Every environment variable that holds a key, by the table or by the user's config. No command may see them. */
export function secretVariables({ providers, webSearch, sandbox }: Config): readonly string[] {
  return [
    ...vendorSecrets,
    ...sharedSecrets,
    ...[...Object.values(providers), webSearch].flatMap((part) => part?.api_key_env ?? []),
    ...sandbox.credentials.flatMap(({ env }) => env ?? []),
  ];
}

/** A project chooses models. It does not choose where the user's key and prompts go. */
function mergeProviders(
  user: Readonly<Record<string, ProviderConfig>>,
  project: Readonly<Record<string, ProviderConfig>>,
  ignore: Ignore,
): Readonly<Record<string, ProviderConfig>> {
  const merged: Record<string, ProviderConfig> = { ...user };
  for (const [name, { api_key_env, base_url, headers, models, ...choices }] of Object.entries(project)) {
    for (const [key, value] of Object.entries({ api_key_env, base_url, headers })) {
      if (value !== undefined) ignore(`providers.${name}.${key}`, "it decides where your key goes");
    }
    // A lower price would let a session spend more than its budget.
    if (models !== undefined) ignore(`providers.${name}.models`, "it would change what your budget counts");
    merged[name] = { ...merged[name], ...choices };
  }
  return merged;
}

type Agents = NonNullable<ConfigFile["agents"]>;

/** A project can put an agent into the sandbox, and nothing else. */
function stricterAgents(user: Agents, project: Agents, ignore: Ignore): Readonly<Record<string, boolean>> {
  const merged: Record<string, boolean> = {};
  for (const [id, { sandbox }] of Object.entries(user)) if (sandbox !== undefined) merged[id] = sandbox;
  for (const [id, { sandbox, ...others }] of Object.entries(project)) {
    if (Object.keys(others).length > 0) ignore(`agents.${id}`, "it would choose which programs run");
    if (sandbox === false) ignore(`agents.${id}.sandbox`, "it would let the agent out of its sandbox");
    if (sandbox === true) merged[id] = true;
  }
  return merged;
}

function withDefaults(agents: Agents): Readonly<Record<string, ConfiguredAgent>> {
  const entries = Object.entries(agents).flatMap(([id, { command, args = [], env = {}, label = id, quirks = {} }]) => {
    if (command === undefined) return [];
    const { read_missing_file: readMissingFile, ends_at_stdin_end: endsAtStdinEnd } = quirks;
    const ownQuirks = {
      ...(readMissingFile !== undefined && { readMissingFile }),
      ...(endsAtStdinEnd !== undefined && { endsAtStdinEnd }),
    };
    return [[id, { command, args, env, label, ownQuirks }]];
  });
  return Object.fromEntries(entries) as Record<string, ConfiguredAgent>;
}

function tighteningRules(rules: readonly WrittenRule[], ignore: Ignore): readonly ConfiguredRule[] {
  return rules.flatMap((rule, index) => {
    if (rule.decision !== "allow") return [{ ...rule, source: "project" as const }];
    ignore(`permissions[${index}]`, "a project cannot allow anything");
    return [];
  });
}

type Sandbox = NonNullable<ConfigFile["sandbox"]>;

function stricterSandbox(user: Sandbox, project: Sandbox, ignore: Ignore): Config["sandbox"] {
  const { mode: userMode = "sandbox", network: userNetwork = false, writable = [], terminal = "auto" } = user;
  const mode = project.mode ?? userMode;
  const isLooser = sandboxModes.indexOf(mode) > sandboxModes.indexOf(userMode);
  if (isLooser) ignore("sandbox.mode", `${mode} is looser than ${userMode}`);
  const network = stricterNetwork(userNetwork, project.network, ignore);
  if (project.ask_commands === false) ignore("sandbox.ask_commands", "it would let commands run unasked");
  if (project.credentials !== undefined) ignore("sandbox.credentials", "it decides where your keys go");
  if (project.writable !== undefined) ignore("sandbox.writable", "it would open folders");
  if (project.terminal !== undefined) ignore("sandbox.terminal", "it would move commands out of the sandbox");
  return {
    mode: isLooser ? userMode : mode,
    network: network === true,
    networkAllow: typeof network === "boolean" ? undefined : network.allow,
    asksCommands: user.ask_commands === true || project.ask_commands === true,
    credentials: Object.entries(user.credentials ?? {}).map(([name, { header = "authorization", ...rest }]) => ({
      name,
      header: header.toLowerCase(),
      host: rest.host,
      prefix: rest.prefix ?? (header.toLowerCase() === "authorization" ? "Bearer " : ""),
      env: rest.env,
      key: rest.key,
    })),
    writable,
    terminal,
  };
}

type Network = NonNullable<Sandbox["network"]>;

/** A project can close the network, or shorten the list of hosts. */
function stricterNetwork(user: Network, project: Network | undefined, ignore: Ignore): Network {
  if (project === undefined || project === false) return project ?? user;
  if (user === true) return project;
  if (user === false) {
    ignore("sandbox.network", "it would open the network");
    return user;
  }
  const wanted = project === true ? ["everything"] : project.allow;
  const more = wanted.filter((host) => !user.allow.includes(host));
  if (more.length > 0) ignore("sandbox.network", `it would open ${more.join(", ")}`);
  return project === true ? user : { allow: user.allow.filter((host) => wanted.includes(host)) };
}

function lowerLimits(user: Limits & typeof defaultLimits, project: Limits, ignore: Ignore): Config["limits"] {
  const lower = <Limit extends number | undefined>(key: keyof Limits, limit: Limit): Limit | number => {
    const wanted = project[key];
    if (wanted === undefined) return limit;
    if (limit === undefined || wanted <= limit) return wanted;
    ignore(`limits.${key}`, `${wanted} is more than ${limit}`);
    return limit;
  };
  return {
    maxTurns: lower("max_turns", user.max_turns),
    toolTimeoutMs: lower("tool_timeout_s", user.tool_timeout_s) * 1000,
    budgetUsd: lower("budget_usd", user.budget_usd),
    stallTimeoutMs: lower("stall_timeout_s", user.stall_timeout_s) * 1000,
  };
}
