// Makes the schema of a server's tool acceptable for every provider. One that is refused would fail every request of the session, whatever
import { isFields } from "@signalbox/rules";

// tool it is about.

interface UsableSchema {
  readonly schema: object;
  /** Describes in words the constraints that the schema had to drop; empty if there are none. */
  readonly note: string;
  /** Names that were changed, and the server's own for each. */
  readonly renamed: ReadonlyMap<string, string>;
}

const maxSchemaLength = 50_000;
const maxNoteLength = 1000;
/** The form that the strictest provider accepts. */
const goodKey = /^[a-zA-Z0-9_.-]{1,64}$/;
/** Providers refuse these at the top, and only there. */
const refusedAtTop = ["anyOf", "oneOf", "allOf", "not", "if", "then", "else", "enum", "const", "$ref"] as const;
const anything: UsableSchema = { schema: { type: "object", properties: {} }, note: "", renamed: new Map() };

/**
 * Returns a schema that providers accept. Anything but an object schema becomes one that allows everything, because the server checks its input
 * itself.
 */
export function usableSchema(given: unknown): UsableSchema {
  if (!isFields(given) || JSON.stringify(given).length > maxSchemaLength) return anything;
  const { type = "object", properties = {}, required = [], ...rest } = given;
  if (type !== "object" || !isFields(properties) || !isListOfNames(required)) return anything;
  const refused = Object.fromEntries(refusedAtTop.flatMap((key) => (key in rest ? [[key, rest[key]]] : [])));
  const kept = Object.fromEntries(Object.entries(rest).filter(([key]) => !(key in refused)));
  const { names, renamed } = goodNames(Object.keys({ ...propertiesOfBranches(refused), ...properties }));
  const all = { ...propertiesOfBranches(refused), ...properties };
  return {
    schema: {
      ...kept,
      type: "object",
      properties: Object.fromEntries(Object.entries(all).map(([name, value]) => [names.get(name) ?? name, value])),
      ...(required.length > 0 && { required: required.map((name) => names.get(name) ?? name) }),
    },
    note: describeRefusal(refused, renamed),
    renamed,
  };
}

/** The arguments under the server's own names. */
export function withServerNames(
  args: Readonly<Record<string, unknown>>,
  renamed: ReadonlyMap<string, string>,
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(args).map(([name, value]) => [renamed.get(name) ?? name, value]));
}

/** A property that only an alternative names can still be given. */
function propertiesOfBranches(refused: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const branches = ["anyOf", "oneOf", "allOf"].flatMap((key) => (Array.isArray(refused[key]) ? refused[key] : []));
  return Object.assign(
    {},
    ...branches.map((branch) => (isFields(branch) && isFields(branch.properties) ? branch.properties : {})),
  );
}

function goodNames(keys: readonly string[]): {
  names: ReadonlyMap<string, string>;
  renamed: ReadonlyMap<string, string>;
} {
  const names = new Map<string, string>();
  const renamed = new Map<string, string>();
  const taken = new Set(keys.filter((key) => goodKey.test(key)));
  for (const key of keys) {
    if (goodKey.test(key)) continue;
    const base = key.replace(/[^a-zA-Z0-9_.-]+/g, "_").slice(0, 60) || "_";
    let name = base;
    for (let count = 2; taken.has(name); count++) name = `${base}${count}`;
    taken.add(name);
    names.set(key, name);
    renamed.set(name, key);
  }
  return { names, renamed };
}

function describeRefusal(refused: Readonly<Record<string, unknown>>, renamed: ReadonlyMap<string, string>): string {
  const parts = [
    ...(Object.keys(refused).length === 0
      ? []
      : [`The input must also fit this JSON Schema: ${JSON.stringify(refused)}`]),
    ...[...renamed].map(([name, original]) => `${name} is the server's ${JSON.stringify(original)}.`),
  ];
  const note = parts.join("\n");
  return note.length > maxNoteLength ? `${note.slice(0, maxNoteLength)}…` : note;
}

function isListOfNames(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((name) => typeof name === "string");
}
