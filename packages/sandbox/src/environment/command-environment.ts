// The environment that a command gets: the host's own, without anything that looks like a key or token, plus what the
// caller adds. A value that is one of our secrets does not pass under another name either.

/** The host's own. */
const hostToken = "SIGNALBOX_TOKEN";

/** Whole words of a name, so that KEYBOARD_LAYOUT and TOKENIZERS_PARALLELISM stay. */
const secretWords = new Set([
  "KEY",
  "KEYS",
  "APIKEY",
  "TOKEN",
  "TOKENS",
  "SECRET",
  "SECRETS",
  "PASSWORD",
  "PASSWD",
  "PASSPHRASE",
  "CREDENTIAL",
  "CREDENTIALS",
]);

/** Doors to other programs that are closed inside anyway; without the variable nobody knocks and waits. */
const socketVariables = new Set(["SSH_AUTH_SOCK", "SSH_AGENT_PID", "GPG_AGENT_INFO", "DBUS_SESSION_BUS_ADDRESS"]);

/** Shorter values (`1`, `true`, a port) would match by accident. */
const minSecretLength = 8;

export interface EnvironmentSources {
  readonly inherited: Readonly<Record<string, string | undefined>>;
  readonly added?: Readonly<Record<string, string>>;
  /** Names that hold keys, whatever they look like: the model providers' and those of the config. */
  readonly secretNames?: readonly string[];
}

export function commandEnvironment({
  inherited,
  added = {},
  secretNames = [],
}: EnvironmentSources): Record<string, string> {
  const ours = new Set([hostToken, ...secretNames]);
  const secretValues = new Set<string>();
  const passed: Record<string, string> = {};
  for (const [name, value] of Object.entries(inherited)) {
    if (value === undefined) continue;
    const isSecret = ours.has(name) || looksSecret(name);
    if (isSecret && value.length >= minSecretLength) secretValues.add(value);
    if (!isSecret && !name.startsWith("SIGNALBOX_") && !socketVariables.has(name)) passed[name] = value;
  }
  for (const [name, value] of Object.entries(added)) if (!ours.has(name)) passed[name] = value;
  for (const [name, value] of Object.entries(passed)) if (secretValues.has(value)) delete passed[name];
  return passed;
}

/** The names of an environment are the same for every command. */
const known = new Map<string, boolean>();

function looksSecret(name: string): boolean {
  const answer =
    known.get(name) ??
    name
      .toUpperCase()
      .split(/[^A-Z0-9]+/)
      .some((word) => secretWords.has(word));
  known.set(name, answer);
  return answer;
}
