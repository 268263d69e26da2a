// Keeps secrets out of what a person reads: values of arguments that are named like one, and text that looks like one.
// It is for titles and messages. Raw input stays raw, because a person must be able to see what they allow.
import { wordsOf } from "./tool-name.ts";

export const hidden = "***";

const secretTerms: ReadonlySet<string> = new Set([
  "apikey",
  "auth",
  "authorization",
  "bearer",
  "cookie",
  "credential",
  "credentials",
  "passcode",
  "passphrase",
  "passwd",
  "password",
  "pwd",
  "secret",
  "secrets",
  "token",
]);
const keyQualifiers: ReadonlySet<string> = new Set(["access", "api", "encryption", "private", "secret", "signing"]);
const maybeSecret = /auth|bearer|cookie|credential|key|pass|pwd|secret|token/i;

/** `api_key`, `X-Api-Key`, `accessToken`, `Authorization`; but not `max_tokens` or `keyboard`. */
export function isSecretName(name: string): boolean {
  if (!maybeSecret.test(name)) return false;
  const words = wordsOf(name);
  return words.some(
    (word, index) => secretTerms.has(word) || (word === "key" && keyQualifiers.has(words[index - 1] ?? "")),
  );
}

const minSecretLength = 4;
const deepest = 5;

/** Every string that stands under a secret name, so that it can also be found where it is repeated, for example in a command. */
export function secretsIn(value: unknown): string[] {
  const found: string[] = [];
  collect(value, false, 0, found);
  return found;
}

function collect(value: unknown, secret: boolean, depth: number, found: string[]): void {
  if (typeof value === "string") {
    if (secret && value.length >= minSecretLength) found.push(value);
    return;
  }
  if (typeof value !== "object" || value === null || depth > deepest) return;
  for (const [key, field] of Object.entries(value)) collect(field, secret || isSecretName(key), depth + 1, found);
}

const bearer = /\b(bearer)\s+[^\s"'`]+/gi;
const urlUser = /([a-z][a-z0-9+.-]{0,20}:\/\/)[^\s/@"'`]+@/gi;
const authorization = /\b((?:proxy-)?authorization["']?\s{0,5}[=:]\s{0,5}["']?)[^"'`\n]+/gi;
/** From the beginning of a name: a search that begins anew at each of its letters would take long on long names. */
const named =
  /(?<![\w-])(?=[\w-]*(?:auth|bearer|cookie|credential|key|pass|pwd|secret|token))([\w-]+)(["']?\s{0,5}[=:]\s{0,5}["']?|\s{1,5}["']?)([^\s"'`&;|,)]+)/gi;
const wellKnown =
  /\b(?:sk-[\w-]{12,}|sk_(?:live|test)_\w{8,}|gh[opsu]_\w{16,}|github_pat_\w{16,}|glpat-[\w-]{12,}|xox[abprs]-[\w-]{8,}|AKIA[0-9A-Z]{12,}|AIza[\w-]{20,}|eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*)/g;
/** One look that lets most texts pass: at least this is in everything that the patterns above find. */
const suspicious =
  /auth|bearer|cookie|credential|key|pass|pwd|secret|token|:\/\/|sk[-_]|gh[opsu]_|github_|glpat|xox|AKIA|AIza|eyJ/i;

/** The text without what looks like a secret: `token=…`, `--password …`, `Bearer …`, well-known key shapes. */
export function redactText(text: string): string {
  if (!suspicious.test(text)) return text;
  return text
    .replace(urlUser, `$1${hidden}@`)
    .replace(authorization, `$1${hidden}`)
    .replace(bearer, `$1 ${hidden}`)
    .replace(wellKnown, hidden)
    .replace(named, (whole: string, name: string, separator: string) => {
      // Without `=` or `:` only an option such as `--password hunter2` names its value; "the token is" does not.
      const names = /[=:]/.test(separator) || name.startsWith("--");
      return names && isSecretName(name) ? `${name}${separator}${hidden}` : whole;
    });
}
