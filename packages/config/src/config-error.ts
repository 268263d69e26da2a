// Explains what is wrong with a config file: the file, the key, what was expected, and for an unknown key what was probably meant.
import { z } from "zod";
import { configSchema } from "./config-schema.ts";

/** The message is the whole explanation, with what to do. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";

  constructor(problems: readonly string[], options?: ErrorOptions) {
    super(`${problems.join("\n")} Correct the file or move it away.`, options);
  }
}

export function explainIssues(file: string, issues: readonly z.core.$ZodIssue[]): ConfigError {
  return new ConfigError(issues.flatMap((issue) => explain(issue)).map((problem) => `${file}: ${problem}`));
}

function explain(issue: z.core.$ZodIssue): readonly string[] {
  if (issue.code === "unrecognized_keys") return issue.keys.map((key) => explainUnknownKey(issue.path, key));
  const key = keyText(issue.path);
  const subject = key === "" ? "the file" : `"${key}"`;
  // Of a name that is wrong, what names may be is one level deeper.
  const message = issue.code === "invalid_key" ? (issue.issues[0]?.message ?? issue.message) : issue.message;
  return [`${subject} is wrong: ${message.replace(/^Invalid \w+: |\.$/g, "")}.`];
}

type Path = readonly PropertyKey[];

function explainUnknownKey(parent: Path, key: string): string {
  const here = listKeys(parent);
  const near = nearest(key, here);
  // The right key, one level too high or too deep.
  const elsewhere = allKeys().find((path) => path.split(".").at(-1) === key);
  const suggested = near === undefined ? elsewhere : keyText([...parent, near]);
  const suggestion = suggested === undefined ? "" : ` Did you mean "${suggested}"?`;
  return `"${keyText([...parent, key])}" is not a known key.${suggestion} Expected one of ${here.join(", ")}.`;
}

/** `permissions[0].allow` */
function keyText(path: Path): string {
  return path
    .map((part) => (typeof part === "number" ? `[${part}]` : `.${String(part)}`))
    .join("")
    .replace(/^\./, "");
}

/** The part of a JSON schema that says which keys there are. */
interface Keys {
  readonly properties?: Readonly<Record<string, Keys>>;
  readonly additionalProperties?: Keys | boolean;
  readonly items?: Keys;
}

const schemaKeys = (): Keys => z.toJSONSchema(configSchema, { io: "input" }) as Keys;

function listKeys(path: Path): readonly string[] {
  const found = path.reduce(findKey, schemaKeys());
  return Object.keys(found.properties ?? {});
}

function findKey({ properties = {}, additionalProperties, items }: Keys, part: PropertyKey): Keys {
  const others = typeof additionalProperties === "object" ? additionalProperties : undefined;
  return (typeof part === "number" ? items : (properties[String(part)] ?? others)) ?? {};
}

/** Every key with the keys above it: `limits.max_turns`, `providers.<name>.model`. */
function allKeys(schema: Keys = schemaKeys(), prefix = ""): readonly string[] {
  const { properties = {}, additionalProperties, items } = schema;
  const named = Object.entries(properties).flatMap(([key, value]) => [
    `${prefix}${key}`,
    ...allKeys(value, `${prefix}${key}.`),
  ]);
  const others = typeof additionalProperties === "object" ? allKeys(additionalProperties, `${prefix}<name>.`) : [];
  return [...named, ...others, ...(items === undefined ? [] : allKeys(items, `${prefix.replace(/\.$/, "")}[].`))];
}

/** The known key with the fewest letters changed, if that is at most a third of them. */
function nearest(key: string, known: readonly string[]): string | undefined {
  const [best] = known
    .map((candidate) => ({ candidate, changes: letterChanges(key.toLowerCase(), candidate) }))
    .filter(({ candidate, changes }) => changes <= Math.max(1, Math.ceil(candidate.length / 3)))
    .toSorted((a, b) => a.changes - b.changes);
  return best?.candidate;
}

/** Letters to insert, remove or replace. */
function letterChanges(from: string, to: string): number {
  // A key in a file can be of any length; ours are short.
  if (from.length > 100) return from.length;
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 0; i < from.length; i++) {
    const next = [i + 1];
    for (let j = 1; j <= to.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (from[i] === to[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
