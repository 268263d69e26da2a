// Makes the environment of a command: the host's own without what looks like a key, a token or a password, plus what the caller
// adds. A secret is known by its name or by the form of its value, and does not pass under another name either.

/** The host's own. */
const hostToken = "SIGNALBOX_TOKEN";

/** Whole words of a name, so that KEYBOARD_LAYOUT and TOKENIZERS_PARALLELISM stay. */
const secretNameParts = new Set(["KEY", "KEYS", "TOKENS", "SECRETS", "CREDENTIAL", "PAT"]);

/** Also the end of a word: PGPASSWORD, GITHUBTOKEN. */
const secretEndings = /(?:APIKEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS)$/;

/** Only the last of several words, and no path: MYSQL_PWD is a password, PWD and PROJECT_PWD are folders. */
const passwordEndings = new Set(["PWD", "PASS", "AUTH", "DSN"]);

/** `scheme://user:password@`, a password in a list of settings, a private key, and tokens that say what they are. */
const secretValue =
  /[a-z][a-z0-9+.-]*:\/\/[^/\s:@]*:[^/\s@]+@|(?:^|[;?&\s])(?:password|pwd|accountkey|sharedaccesskey)=[^;&\s]|-----BEGIN [A-Z ]*PRIVATE KEY|^(?:gh[opsu]_|github_pat_|glpat-|npm_|xox[abpr]-|sk-|hf_|AIza)[\w-]{16,}$/i;

/** Sockets of other programs, which are closed inside; without the variable no program tries and waits. */
const socketVariables = new Set(["SSH_AUTH_SOCK", "SSH_AGENT_PID", "GPG_AGENT_INFO", "DBUS_SESSION_BUS_ADDRESS"]);

/** For an agent inside the sandbox, which has the rest of its environment whole. */
export function withoutSocketVariables(env: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !socketVariables.has(name)));
}

/** Shorter values (`1`, `true`, a port) would match by accident. */
const minSecretLength = 8;

export interface EnvironmentSources {
  readonly inherited: Readonly<Record<string, string | undefined>>;
  readonly added?: Readonly<Record<string, string>>;
  /** Names that hold keys, whatever they look like: the model providers' and those of the config. */
  readonly secretNames?: readonly string[];
  /** The command runs outside the sandbox, where the sockets of ssh-agent and its like are open. */
  readonly isOutside?: boolean;
}

export function commandEnvironment({
  inherited,
  added = {},
  secretNames = [],
  isOutside = false,
}: EnvironmentSources): Record<string, string> {
  const hostSecrets = new Set([hostToken, ...secretNames]);
  const secretValues = new Set<string>();
  const passed: Record<string, string> = {};
  for (const [name, value] of Object.entries(inherited)) {
    if (value === undefined) continue;
    const isSecret = hostSecrets.has(name) || looksSecret(name, value);
    if (isSecret && value.length >= minSecretLength) secretValues.add(value);
    const isClosed = name.startsWith("SIGNALBOX_") || (!isOutside && socketVariables.has(name));
    if (!isSecret && !isClosed) passed[name] = value;
  }
  for (const [name, value] of Object.entries(added)) if (!hostSecrets.has(name)) passed[name] = value;
  for (const [name, value] of Object.entries(passed)) if (secretValues.has(value)) delete passed[name];
  return passed;
}

/** An environment is nearly the same for every command. */
const known = new Map<string, { readonly value: string; readonly isSecret: boolean }>();

function looksSecret(name: string, value: string): boolean {
  const before = known.get(name);
  if (before?.value === value) return before.isSecret;
  const isSecret = isSecretName(name) || secretValue.test(value) || isPassword(name, value);
  known.set(name, { value, isSecret });
  return isSecret;
}

function isSecretName(name: string): boolean {
  const words = name.toUpperCase().split(/[^A-Z0-9]+/);
  return words.some((word) => secretNameParts.has(word) || secretEndings.test(word));
}

function isPassword(name: string, value: string): boolean {
  const last = /_([A-Z]+)$/i.exec(name)?.[1] ?? "";
  return passwordEndings.has(last.toUpperCase()) && !value.startsWith("/");
}
