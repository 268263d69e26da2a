// Keeps secrets out of what a person reads: values of arguments that are named like one, and text that looks like one.
// It is for titles and messages, and for what a person wants out of the register. Raw input stays raw, because a person must be able to see what they allow.
import { listWords } from "./tool-name.ts";

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
  const words = listWords(name);
  return words.some(
    (word, index) => secretTerms.has(word) || (word === "key" && keyQualifiers.has(words[index - 1] ?? "")),
  );
}

const minSecretLength = 4;
const deepest = 5;

/** Every string that stands under a secret name, so that it can also be found where it is repeated, for example in a command. */
export function collectSecrets(value: unknown): string[] {
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

/** How a secret was recognized: by its form, or by the name before it. */
export type SecretKind = "private_key" | "url" | "authorization" | "bearer" | "well_known" | "named";

/** A part of a text that looks like a secret. */
export interface FoundSecret {
  readonly kind: SecretKind;
  readonly start: number;
  readonly end: number;
}

const privateKey =
  /(-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----)(?:[\s\S]{1,20000}?(?=-----END [A-Z ]{0,40}PRIVATE KEY-----)|[^-]{1,20000})/g;
const bearer = /\b(bearer\s+)[^\s"'`]+/gi;
const urlUser = /([a-z][a-z0-9+.-]{0,20}:\/\/)[^\s/@"'`]+(?=@)/gi;
const authorization = /\b((?:proxy-)?authorization["']?\s{0,5}[=:]\s{0,5}["']?)[^"'`\n]+/gi;
/** From the beginning of a name: a search that begins anew at each of its letters would take long on long names. */
const named =
  /(?<![\w-])(?=[\w-]*(?:auth|bearer|cookie|credential|key|pass|pwd|secret|token))([\w-]+)(\\?["']?\s{0,5}[=:]\s{0,5}\\?["']?|\s{1,5}["']?)([^\s"'`&;|,)\\]+)/gi;
const wellKnown =
  /\b(?:sk-[\w-]{12,}|[sr]k_(?:live|test)_\w{8,}|gh[oprsu]_\w{16,}|github_pat_\w{16,}|glpat-[\w-]{12,}|xox[abprs]-[\w-]{8,}|A[KS]IA[0-9A-Z]{12,}|AIza[\w-]{20,}|npm_\w{30,}|hf_\w{30,}|gsk_\w{30,}|ya29\.[\w-]{20,}|eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*)/g;
/** One look that lets most texts pass: at least this is in everything that the patterns above find. */
const suspicious =
  /auth|bearer|cookie|credential|key|pass|pwd|secret|token|:\/\/|[sr]k[-_]|gh[oprsu]_|github_|glpat|xox|A[KS]IA|AIza|npm_|hf_|gsk_|ya29|eyJ/i;

/** The length of what stands before the secret in a match. */
const first = ([, before = ""]: RegExpExecArray) => before.length;

/** Finds likely secrets, in order and without overlaps: `token=…`, `--password …`, `Bearer …`, well-known forms of keys. */
export function findSecrets(text: string): readonly FoundSecret[] {
  if (!suspicious.test(text)) return [];
  const found: FoundSecret[] = [];
  const add = (kind: SecretKind, pattern: RegExp, prefix: (match: RegExpExecArray) => number | null) => {
    for (const match of text.matchAll(pattern)) {
      const length = prefix(match);
      const start = match.index + (length ?? 0);
      const end = match.index + match[0].length;
      // Text that was redacted before is not a secret.
      if (length !== null && end > start && !/^\**$/.test(text.slice(start, end))) found.push({ kind, start, end });
    }
  };
  add("private_key", privateKey, first);
  add("url", urlUser, first);
  add("authorization", authorization, first);
  add("bearer", bearer, first);
  add("well_known", wellKnown, () => 0);
  add("named", named, ([, name = "", separator = ""]) => {
    // Without `=` or `:` only an option such as `--password hunter2` names its value; "the token is" does not.
    const names = /[=:]/.test(separator) || name.startsWith("--");
    return names && isSecretName(name) ? name.length + separator.length : null;
  });
  return withoutOverlaps(found);
}

/** Where several overlap, one that covers all of them. */
function withoutOverlaps(found: readonly FoundSecret[]): readonly FoundSecret[] {
  const result: FoundSecret[] = [];
  for (const secret of found.toSorted((one, other) => one.start - other.start || other.end - one.end)) {
    const last = result.at(-1);
    if (last === undefined || secret.start >= last.end) result.push(secret);
    else if (secret.end > last.end) result[result.length - 1] = { ...last, end: secret.end };
  }
  return result;
}

/** The text with `***` in place of these parts, which are in order. */
export function hideParts(text: string, parts: readonly { readonly start: number; readonly end: number }[]): string {
  let shown = "";
  let done = 0;
  for (const { start, end } of parts) {
    if (end <= done) continue;
    shown += text.slice(done, Math.max(done, start)) + hidden;
    done = end;
  }
  return shown + text.slice(done);
}

/** The value of a field without what looks like a secret; all of it where the field is named like one. */
export function redactField(text: string, field?: string): string {
  const isSecret = field !== undefined && text.length >= minSecretLength && isSecretName(field);
  return isSecret ? hidden : redactText(text);
}

/** The text without what looks like a secret. */
export function redactText(text: string): string {
  return hideParts(text, findSecrets(text));
}
