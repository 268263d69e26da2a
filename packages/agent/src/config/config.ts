// The config of a session, every question answered: the user's file, then the project's where it does not loosen anything.
import { toolKinds } from "@signalbox/tool-calls";
import type { ConfigFile, PermissionRule, ProviderKeys } from "./config-schema.ts";
import { nameFits, parseRuleText } from "./rule-text.ts";

export interface Config {
  readonly provider: string | null;
  readonly providers: Readonly<Record<string, ProviderKeys>>;
  readonly mcpServers: McpServerKeys;
  readonly permissions: readonly ConfigRule[];
  readonly sandbox: {
    readonly mode: SandboxMode;
    readonly network: boolean;
    readonly writable: readonly string[];
    readonly terminal: "own" | "client";
  };
  readonly privateHosts: readonly string[];
  readonly webSearch: NonNullable<ConfigFile["web_search"]> | null;
  readonly limits: {
    readonly maxTurns: number;
    readonly toolTimeoutMs: number;
    readonly budget: number | null;
    readonly stallMs: number;
  };
}

/** A rule about us. */
export interface ConfigRule {
  readonly decision: "allow" | "ask" | "deny";
  readonly tool?: string;
  readonly kind?: (typeof toolKinds)[number];
  readonly path?: string;
  readonly command?: string;
}

/** The name under which rules can mean our agent. */
const ourName = "signalbox";

export type SandboxMode = NonNullable<NonNullable<ConfigFile["sandbox"]>["mode"]>;

/** In the usual shape and not checked; whoever starts them does that. */
export interface McpServerKeys {
  readonly user: Readonly<Record<string, unknown>>;
  readonly project: Readonly<Record<string, unknown>>;
}

/** From the strictest to the loosest. */
const modes: readonly SandboxMode[] = ["rx", "sandbox", "rwx", "off"];

/** What of the project's file does not count, because it would loosen what the user set. One sentence each. */
export interface Merged {
  readonly config: Config;
  readonly ignored: readonly string[];
}

export function mergeConfig(user: ConfigFile, project: ConfigFile): Merged {
  const ignored: string[] = [];
  const ignore = (key: string, why: string) =>
    ignored.push(`${key} of the project's config.json does not count: ${why}`);
  const limits = stricterLimits(user, project);
  return {
    config: {
      provider: project.provider ?? user.provider ?? null,
      providers: mergeProviders(user.providers ?? {}, project.providers ?? {}, ignore),
      mcpServers: { user: user.mcpServers ?? {}, project: project.mcpServers ?? {} },
      permissions: [...(user.permissions ?? []).flatMap(rulesIn), ...stricterRules(project.permissions ?? [], ignore)],
      sandbox: stricterSandbox(user.sandbox ?? {}, project.sandbox ?? {}, ignore),
      privateHosts: user.fetch?.private_hosts ?? [],
      webSearch: user.web_search ?? null,
      limits: {
        maxTurns: limits("max_turns") ?? 50,
        toolTimeoutMs: (limits("tool_timeout_s") ?? 120) * 1000,
        budget: limits("budget_usd") ?? null,
        stallMs: (limits("stall_timeout_s") ?? 120) * 1000,
      },
    },
    ignored: [
      ...ignored,
      ...(project.fetch === undefined
        ? []
        : ["fetch of the project's config.json does not count: it would open private addresses"]),
      ...(project.web_search === undefined
        ? []
        : ["web_search of the project's config.json does not count: it would send your questions elsewhere"]),
    ],
  };
}

type Ignore = (key: string, why: string) => void;

/** A project may say which model fits it, but not where the user's key and words go. */
function mergeProviders(
  user: Readonly<Record<string, ProviderKeys>>,
  project: Readonly<Record<string, ProviderKeys>>,
  ignore: Ignore,
): Readonly<Record<string, ProviderKeys>> {
  const merged: Record<string, ProviderKeys> = { ...user };
  for (const [name, { api_key_env, base_url, headers, ...rest }] of Object.entries(project)) {
    for (const [key, value] of Object.entries({ api_key_env, base_url, headers })) {
      if (value !== undefined) ignore(`providers.${name}.${key}`, "it decides where your key goes");
    }
    merged[name] = { ...merged[name], ...rest };
  }
  return merged;
}

function stricterRules(rules: readonly PermissionRule[], ignore: Ignore): readonly ConfigRule[] {
  return rules.flatMap((rule, index) => {
    if (rule.decision !== "allow" && rule.allow === undefined) return rulesIn(rule);
    ignore(`permissions[${index}]`, "a project cannot allow anything");
    return [];
  });
}

/** One entry may be several rules, one for each kind that it means, or none when it is about another agent. */
function rulesIn({ decision, allow, ask, deny, ...terms }: PermissionRule): readonly ConfigRule[] {
  const text = allow ?? ask ?? deny;
  const { agent, kind, ...rest } = text === undefined ? terms : (parseRuleText(text) ?? {});
  if (agent !== undefined && !nameFits(agent, ourName)) return [];
  const rule = { decision: decision ?? (allow !== undefined ? "allow" : ask !== undefined ? "ask" : "deny"), ...rest };
  return kind === undefined
    ? [rule]
    : toolKinds.filter((name) => nameFits(kind, name)).map((name) => ({ ...rule, kind: name }));
}

type Sandbox = NonNullable<ConfigFile["sandbox"]>;

function stricterSandbox(user: Sandbox, project: Sandbox, ignore: Ignore): Config["sandbox"] {
  const own = user.mode ?? "sandbox";
  const asked = project.mode ?? own;
  const loosens = modes.indexOf(asked) > modes.indexOf(own);
  if (loosens) ignore("sandbox.mode", `${asked} is looser than ${own}`);
  const network = user.network ?? false;
  if (project.network === true && !network) ignore("sandbox.network", "it would open the network");
  if (project.writable !== undefined) ignore("sandbox.writable", "it would open folders");
  if (project.terminal !== undefined) ignore("sandbox.terminal", "it would move commands out of the sandbox");
  return {
    mode: loosens ? own : asked,
    network: network && project.network !== false,
    writable: user.writable ?? [],
    terminal: user.terminal ?? "own",
  };
}

type Limits = NonNullable<ConfigFile["limits"]>;

function stricterLimits(
  { limits: user }: ConfigFile,
  { limits: project }: ConfigFile,
): (key: keyof Limits) => number | undefined {
  return (key) => {
    const [own, asked] = [user?.[key], project?.[key]];
    return own === undefined || asked === undefined ? (own ?? asked) : Math.min(own, asked);
  };
}
