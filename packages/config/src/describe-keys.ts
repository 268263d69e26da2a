// Describes every key of config.json as data: rows for the table of docs/config.md, fields for the forms of the settings page, and the published JSON schema.
import { z } from "zod";
import type { About, AnyNode, KeyForm, KeyTexts } from "./config-key.ts";
import { configKeys } from "./config-schema.ts";

/** One row of the table of docs/config.md. */
export interface KeyRow {
  /** `limits.max_turns`, `providers.<name>.model` */
  readonly key: string;
  readonly help: string;
  readonly see: string | undefined;
  readonly default: string;
  readonly project: string;
}

/** One field of the settings page. */
export interface KeyField {
  readonly key: string;
  /** `other`: the page has a form of its own for it. */
  readonly type: "number" | "choice" | "list" | "other";
  readonly section: string;
  readonly label: string;
  readonly help: string;
  readonly unit: string;
  /** Shown in an empty field: the default, or an example. */
  readonly placeholder: string;
  readonly maximum: number | null;
  /** The first one is the default. */
  readonly choices: readonly { readonly value: string; readonly name: string }[];
}

/** The part of a JSON schema that is read here. */
interface JsonSchema {
  readonly description?: string;
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly maximum?: number;
  readonly default?: unknown;
  readonly unset?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly additionalProperties?: JsonSchema | boolean;
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
}

export function publishedSchema(): object {
  return z.toJSONSchema(configKeys.schema, {
    io: "input",
    override: ({ jsonSchema }) => {
      delete (jsonSchema as { unset?: string }).unset;
    },
  });
}

export function listKeyRows(): readonly KeyRow[] {
  return visitKeys().flatMap(({ key, about, schema }) => {
    const row = { key, help: about.help, see: about.see };
    if (about.type !== "key") return [{ ...row, default: "", project: "" }];
    return [{ ...row, default: describeDefault(about), project: about.project }, ...listPartRows(schema, key)];
  });
}

export function listKeyFields(): readonly KeyField[] {
  return visitKeys().flatMap(({ key, about, schema }) =>
    about.type === "key" && about.form !== undefined ? [describeField(key, about, about.form, schema)] : [],
  );
}

type KeyAbout = Extract<About, { type: "key" }>;

function describeField(key: string, about: KeyAbout, form: KeyForm, schema: JsonSchema): KeyField {
  const { section, label, unit = "", choices = {} } = form;
  const type = findFieldType(schema, choices);
  const usual = type === "number" ? describeDefault(about) : "";
  return {
    key,
    type,
    section,
    label,
    help: about.help.replaceAll("`", ""),
    unit,
    placeholder: form.placeholder ?? usual,
    maximum: type === "number" && isLimit(schema.maximum) ? schema.maximum : null,
    choices: Object.entries(choices).map(([value, name]) => ({ value, name })),
  };
}

/** The schema of an integer always has a maximum. */
function isLimit(maximum: number | undefined): maximum is number {
  return maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER;
}

function findFieldType({ type, items }: JsonSchema, choices: Readonly<Record<string, string>>): KeyField["type"] {
  if (type === "number" || type === "integer") return "number";
  if (Object.keys(choices).length > 0) return "choice";
  return type === "array" && items?.type === "string" ? "list" : "other";
}

interface VisitedNode {
  readonly key: string;
  readonly node: AnyNode;
  readonly about: About;
  readonly schema: JsonSchema;
}

/** Every node below this one, parents first. */
export function visitKeys(node: AnyNode = configKeys, prefix = ""): readonly VisitedNode[] {
  const { about } = node;
  switch (about.type) {
    case "key":
      return [];
    case "entries":
      return visitKeys(about.entry, `${prefix}<name>.`);
    case "section":
      return Object.entries(about.nodes).flatMap(([name, child]) => {
        const key = `${prefix}${name}`;
        return [
          { key, node: child, about: child.about, schema: readJsonSchema(child) },
          ...visitKeys(child, `${key}.`),
        ];
      });
  }
}

function readJsonSchema({ schema }: AnyNode): JsonSchema {
  return z.toJSONSchema(schema, { io: "input" }) as JsonSchema;
}

/** The keys inside a value that have a text of their own. */
function listPartRows(schema: JsonSchema, prefix: string): readonly KeyRow[] {
  const { properties = {}, additionalProperties, items, anyOf = [] } = schema;
  const named = Object.entries(properties).flatMap(([name, part]) => {
    const key = `${prefix}.${name}`;
    const rows = listPartRows(part, key);
    if (part.description === undefined) return rows;
    const row = { key, help: part.description, see: undefined, default: describeDefault(part), project: "" };
    return [row, ...rows];
  });
  const others = typeof additionalProperties === "object" ? listPartRows(additionalProperties, `${prefix}.<name>`) : [];
  const listed = items === undefined ? [] : listPartRows(items, `${prefix}[]`);
  return [...named, ...others, ...listed, ...anyOf.flatMap((part) => listPartRows(part, prefix))];
}

function describeDefault({ unset, default: value }: Pick<KeyTexts, "unset"> & { readonly default?: unknown }): string {
  if (unset !== undefined) return unset;
  if (typeof value === "object") return "none";
  if (typeof value === "number") return String(value);
  return typeof value === "string" || typeof value === "boolean" ? `\`${value}\`` : "";
}
