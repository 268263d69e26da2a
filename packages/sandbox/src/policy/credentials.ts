// Lists the files of a home folder that hold keys, passwords, log-ins or what was typed. No command and no file tool reads or writes them.
import type { Platform } from "./protected-paths.ts";

/** Where each agent that Signalbox knows keeps its log-in, by the agent's id. The agent itself runs outside and reads its own. */
export const agentLogins: Readonly<Record<string, readonly string[]>> = {
  "claude-code": [".claude/.credentials.json", ".claude.json", ".claude.json.backup"],
  codex: [".codex/auth.json"],
  "codex-native": [".codex/auth.json"],
  gemini: [".gemini/oauth_creds.json", ".gemini/google_accounts.json", ".gemini/mcp-oauth-tokens.json", ".gemini/.env"],
  opencode: [".local/share/opencode/auth.json", ".local/share/opencode/mcp-auth.json"],
  goose: [".config/goose/secrets.yaml"],
  qwen: [".qwen/oauth_creds.json", ".qwen/settings.json", ".qwen/.env"],
  copilot: [".copilot/config.json", ".config/github-copilot"],
  cline: [".cline/data"],
  grok: [".grok/auth.json", ".grok/user-settings.json"],
  nanocoder: [".config/nanocoder", ".local/share/nanocoder"],
  pi: [".pi/agent/auth.json"],
  auggie: [".augment/session.json"],
  droid: [
    ".factory/auth.json",
    ".factory/auth.encrypted",
    ".factory/auth.v2.file",
    ".factory/auth.v2.key",
    ".factory/config.json",
  ],
  qoder: [".qoder"],
};

const keysAndAccounts: readonly string[] = [
  // It holds a code that opens Signalbox's page once, while a browser starts.
  "signalbox-open",
  ".ssh",
  ".gnupg",
  ".netrc",
  ".git-credentials",
  ".config/git/credentials",
  ".password-store",
  ".local/share/keyrings",
  ".local/share/kwalletd",
  ".vault-token",
  ".config/op",
  ".config/sops",
  ".config/Bitwarden CLI",
  // clouds, code hosts, deployment
  ".aws",
  ".azure",
  ".kube",
  ".docker",
  ".config/containers/auth.json",
  ".config/gcloud",
  ".boto",
  ".s3cfg",
  ".oci",
  ".config/gh",
  ".config/glab-cli",
  ".config/hub",
  ".config/doctl",
  ".config/rclone",
  ".config/ngrok",
  ".config/stripe",
  ".config/netlify",
  ".config/.wrangler",
  ".local/share/com.vercel.cli",
  ".fly",
  ".cloudflared",
  ".terraform.d",
  ".terraformrc",
  ".sentryclirc",
  ".databrickscfg",
  ".cache/huggingface/token",
  ".kaggle",
  // browsers
  ".mozilla",
  ".config/google-chrome",
  ".config/chromium",
  ".config/BraveSoftware",
  ".config/microsoft-edge",
];

const packageManagers: readonly string[] = [
  ".npmrc",
  ".yarnrc.yml",
  ".pypirc",
  ".cargo/credentials",
  ".cargo/credentials.toml",
  ".gem/credentials",
  ".bundle/config",
  ".composer/auth.json",
  ".config/composer/auth.json",
  ".m2/settings.xml",
  ".m2/settings-security.xml",
  ".nuget/NuGet/NuGet.Config",
];

const databases: readonly string[] = [
  ".pgpass",
  ".pg_service.conf",
  ".my.cnf",
  ".mylogin.cnf",
  ".odbc.ini",
  ".snowsql",
];

/** Histories of shells and consoles, which contain passwords and tokens. */
const histories: readonly string[] = [
  ".bash_history",
  ".zsh_history",
  ".zhistory",
  ".sh_history",
  ".history",
  ".local/share/fish/fish_history",
  ".config/nushell/history.txt",
  ".local/share/atuin",
  ".local/share/powershell/PSReadLine",
  ".python_history",
  ".node_repl_history",
  ".irb_history",
  ".psql_history",
  ".mysql_history",
  ".sqlite_history",
  ".rediscli_history",
  ".mongodb/mongosh",
  ".dbshell",
];

const onlyOnDarwin: readonly string[] = [
  "Library/Keychains",
  "Library/Application Support/Google/Chrome",
  "Library/Application Support/Firefox",
  ".bash_sessions",
  ".zsh_sessions",
];

/** Variables by which programs find their keys and accounts elsewhere than in the home folder. */
const movedBy: readonly string[] = [
  "GNUPGHOME",
  "PASSWORD_STORE_DIR",
  "AWS_SHARED_CREDENTIALS_FILE",
  "AWS_CONFIG_FILE",
  "AZURE_CONFIG_DIR",
  "CLOUDSDK_CONFIG",
  "GOOGLE_APPLICATION_CREDENTIALS",
  "KUBECONFIG",
  "DOCKER_CONFIG",
  "REGISTRY_AUTH_FILE",
  "GH_CONFIG_DIR",
  "GLAB_CONFIG_DIR",
  "NETRC",
  "PGPASSFILE",
  "NPM_CONFIG_USERCONFIG",
  "npm_config_userconfig",
  "HISTFILE",
];

/** Absolute paths that such variables name: one, or several with colons between them. */
export function movedCredentials(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  return movedBy.flatMap((name) => (env[name] ?? "").split(":")).filter((path) => path.startsWith("/"));
}

/** Paths below the home folder. */
export function credentials(platform: Platform): readonly string[] {
  return [
    ...new Set([
      ...keysAndAccounts,
      ...packageManagers,
      ...databases,
      ...histories,
      ...Object.values(agentLogins).flat(),
      ...(platform === "darwin" ? onlyOnDarwin : []),
    ]),
  ];
}

/** Absolute paths that only root can read. They matter only where Signalbox runs as root. */
export function systemCredentials(platform: Platform): readonly string[] {
  return platform === "darwin" ? ["/private/etc/master.passwd"] : ["/etc/shadow", "/etc/shadow-", "/etc/ssl/private"];
}
