// The vocabulary of config-schema.ts: a key, a section of keys, and entries by name. Each node knows how its value is checked, how the user's value and a
// project's become one, and how it is explained. There is no key without a project policy: the types ask for one.
import { z } from "zod";
import type { Ignore, ProjectPolicy } from "./project-policy.ts";

export interface KeyTexts {
  /** One or two sentences in Markdown, without links. */
  readonly help: string;
  /** The page of the docs that has more, as a Markdown link. */
  readonly see?: string;
  /** Says what happens if the key is not set, for a key without a default value. */
  readonly unset?: string;
  /** How the settings page shows it. Without this, the key is only in the file. */
  readonly form?: KeyForm;
}

export interface KeyForm {
  /** The section of the settings page. */
  readonly section: string;
  readonly label: string;
  readonly unit?: string;
  readonly placeholder?: string;
  /** The name of each choice, the default first. */
  readonly choices?: Readonly<Record<string, string>>;
}

interface ConfigNode<Written, Value> {
  readonly schema: z.ZodType<Written>;
  merge(user: Written | undefined, project: Written | undefined, ignore: Ignore): Value;
  readonly about: About;
}

export type About =
  | ({ readonly type: "key"; readonly default: unknown; readonly project: string } & KeyTexts)
  | ({ readonly type: "section"; readonly nodes: Readonly<Record<string, AnyNode>> } & SectionTexts)
  | ({ readonly type: "entries"; readonly entry: AnyNode } & SectionTexts);

type SectionTexts = Pick<KeyTexts, "help" | "see">;

/** A node whose types are not known. */
export interface AnyNode {
  readonly schema: z.ZodType;
  merge(user: never, project: never, ignore: Ignore): unknown;
  readonly about: About;
}

interface KeyOptions<Written> extends KeyTexts {
  readonly project: ProjectPolicy<NoInfer<Written>>;
}

export function key<Written>(
  schema: z.ZodType<Written>,
  options: KeyOptions<Written> & { readonly default: NoInfer<Written> },
): ConfigNode<Written, Written>;
export function key<Written>(
  schema: z.ZodType<Written>,
  options: KeyOptions<Written> & { readonly default?: undefined },
): ConfigNode<Written, Written | undefined>;
export function key<Written>(
  schema: z.ZodType<Written>,
  { project: policy, ...options }: KeyOptions<Written> & { readonly default?: Written | undefined },
): ConfigNode<Written, Written | undefined> {
  const { default: fallback, ...texts } = options;
  return {
    schema: withTexts(schema, texts, fallback),
    merge(user, project, ignore) {
      const own = user ?? fallback;
      return project === undefined ? own : policy.decide(own, project, ignore);
    },
    about: { type: "key", default: fallback, project: policy.text, ...texts },
  };
}

interface CombinedOptions<Written, Value> extends KeyTexts {
  /** What a project may do, for the table of docs/config.md. */
  readonly project: string;
  readonly combine: (user: Written | undefined, project: Written | undefined, ignore: Ignore) => Value;
}

/** A key whose merged value has another form than the one in the file. `combine` must not let a project loosen anything. */
export function combinedKey<Written, Value>(
  schema: z.ZodType<Written>,
  { project, combine, ...texts }: CombinedOptions<NoInfer<Written>, Value>,
): ConfigNode<Written, Value> {
  return {
    schema: withTexts(schema, texts),
    merge: combine,
    about: { type: "key", default: undefined, project, ...texts },
  };
}

type Nodes = Readonly<Record<string, AnyNode>>;
type WrittenSection<All extends Nodes> = { [Name in keyof All]?: z.output<All[Name]["schema"]> };
type NodeValue<Node extends AnyNode> = ReturnType<Node["merge"]>;
type Simplify<Type> = { readonly [Name in keyof Type]: Type[Name] };
/** A key is optional if it has no default. */
type SectionValue<All extends Nodes> = Simplify<
  { [Name in keyof All as undefined extends NodeValue<All[Name]> ? never : Name]: NodeValue<All[Name]> } & {
    [Name in keyof All as undefined extends NodeValue<All[Name]> ? Name : never]?: NodeValue<All[Name]>;
  }
>;

/** All keys of a section are optional in the file. `check` refines how they may stand together. */
export function section<All extends Nodes>(
  texts: SectionTexts,
  nodes: All,
  check: (written: WrittenSection<All>, context: z.RefinementCtx) => void = () => {},
): ConfigNode<WrittenSection<All>, SectionValue<All>> {
  const shape = Object.entries(nodes).map(([name, { schema }]) => [name, schema.optional()] as const);
  const object = z.strictObject(Object.fromEntries(shape)) as unknown as z.ZodType<WrittenSection<All>>;
  return {
    schema: withTexts(object.superRefine(check), texts),
    merge(user, project, ignore) {
      const merged = Object.entries(nodes).map(([name, node]) => [
        name,
        node.merge(user?.[name] as never, project?.[name] as never, below(ignore, name)),
      ]);
      return Object.fromEntries(merged) as SectionValue<All>;
    },
    about: { type: "section", nodes, ...texts },
  };
}

type NamedValues<Value> = Readonly<Record<string, Value>>;

/** Entries with names that the user chooses, each merged with the project's entry of the same name. */
export function entries<Written, Value>(
  texts: SectionTexts,
  name: z.ZodType<string, string>,
  entry: ConfigNode<Written, Value>,
): ConfigNode<Record<string, Written>, NamedValues<Value>> {
  return {
    schema: withTexts(z.record(name, entry.schema), texts),
    merge(user = {}, project = {}, ignore) {
      const names = new Set([...Object.keys(user), ...Object.keys(project)]);
      const merged = [...names].map((id) => [
        id,
        entry.merge(getOwnValue(user, id), getOwnValue(project, id), below(ignore, id)),
      ]);
      return Object.fromEntries(merged) as NamedValues<Value>;
    },
    about: { type: "entries", entry, ...texts },
  };
}

/** Every object has a `constructor`, and an entry may have that name. */
function getOwnValue<Value>(record: NamedValues<Value>, name: string): Value | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}

function below(ignore: Ignore, name: string): Ignore {
  return (reason, part = "") => ignore(reason, `${part.startsWith("[") || part === "" ? name : `${name}.`}${part}`);
}

/** Texts of a key inside a value, such as the url of a search engine. */
export function explained<Schema extends z.ZodType>(
  schema: Schema,
  help: string,
  more: { unset?: string } = {},
): Schema {
  return schema.meta({ description: help, ...more });
}

/** The published JSON schema has them too. */
function withTexts<Written>(
  schema: z.ZodType<Written>,
  { help, form }: KeyTexts,
  fallback?: Written,
): z.ZodType<Written> {
  return schema.meta({
    ...(form !== undefined && { title: form.label }),
    description: help,
    ...(fallback !== undefined && { default: fallback }),
  });
}
