// Turns an agent's form schema into fields, and the values of the fields into the answer. ACP's forms are flat.
import { type FormOption, formOptions, isJsonObject, type Json, type JsonObject, toFields } from "@signalbox/protocol";

interface FieldHead {
  readonly name: string;
  readonly label: string;
  readonly description: string;
  readonly isRequired: boolean;
}

export type FormField = FieldHead &
  (
    | { readonly type: "text"; readonly input: "text" | "email" | "url" | "date" | "datetime-local" }
    | { readonly type: "number"; readonly isWhole: boolean; readonly min: number | null; readonly max: number | null }
    | { readonly type: "yes-no" }
    | { readonly type: "choice"; readonly options: readonly FormOption[] }
    | { readonly type: "choices"; readonly options: readonly FormOption[] }
  );

/** The values of the fields: text, a check mark, or choices. */
export type FormValues = ReadonlyMap<string, string | boolean | readonly string[]>;

const inputs: Readonly<Record<string, "email" | "url" | "date" | "datetime-local">> = {
  email: "email",
  uri: "url",
  date: "date",
  "date-time": "datetime-local",
};

export function readFields(schema: Json): readonly FormField[] {
  const { properties, required } = toFields(schema);
  const needed = new Set(Array.isArray(required) ? required : []);
  return Object.entries(toFields(properties)).flatMap(([name, property]) =>
    isJsonObject(property) ? [readField(name, property, needed.has(name))] : [],
  );
}

function readField(name: string, property: JsonObject, isRequired: boolean): FormField {
  const head = { name, label: textOr(property.title, name), description: textOr(property.description, ""), isRequired };
  const options = formOptions(property);
  switch (property.type) {
    case "boolean":
      return { ...head, type: "yes-no" };
    case "number":
    case "integer": {
      const { minimum, maximum } = property;
      const [min, max] = [numberOr(minimum), numberOr(maximum)];
      return { ...head, type: "number", isWhole: property.type === "integer", min, max };
    }
    case "array":
      return { ...head, type: "choices", options: options ?? [] };
    default: {
      if (options !== null) return { ...head, type: "choice", options };
      const { format } = property;
      const input = typeof format === "string" && Object.hasOwn(inputs, format) ? inputs[format] : undefined;
      return { ...head, type: "text", input: input ?? "text" };
    }
  }
}

/** The agent's default values. */
export function readDefaults(schema: Json): FormValues {
  const { properties } = toFields(schema);
  const fields = toFields(properties);
  return new Map(
    readFields(schema).map((field) => {
      const property = fields[field.name];
      const given = toFields(property).default;
      return [field.name, readInitialValue(field, given ?? null)];
    }),
  );
}

function readInitialValue(field: FormField, given: Json): string | boolean | readonly string[] {
  switch (field.type) {
    case "yes-no":
      return given === true;
    case "choices":
      return Array.isArray(given) ? given.filter((value) => typeof value === "string") : [];
    case "text":
      if (field.input !== "datetime-local" || typeof given !== "string") return typeof given === "string" ? given : "";
      return Number.isNaN(Date.parse(given)) ? "" : localTime(new Date(given));
    case "choice":
      return typeof given === "string" ? given : "";
    case "number":
      return typeof given === "number" ? String(given) : "";
  }
}

type Answer = string | number | boolean | string[];

/** The answer to a form, by field. */
export type Answers = Record<string, Answer>;

/** Empty fields are left out. */
export function buildAnswers(fields: readonly FormField[], filled: FormValues): Answers {
  return Object.fromEntries(
    fields.flatMap((field): [string, Answer][] => {
      const value = parseValue(field, filled.get(field.name) ?? "");
      return value === null ? [] : [[field.name, value]];
    }),
  );
}

function parseValue(field: FormField, value: string | boolean | readonly string[]): Answer | null {
  if (typeof value === "boolean") return value;
  if (typeof value !== "string") return value.length === 0 && !field.isRequired ? null : [...value];
  if (value === "") return null;
  if (field.type === "number") return Number(value);
  // The field has the person's local time; the agent needs a time with its zone.
  if (field.type === "text" && field.input === "datetime-local") return new Date(value).toISOString();
  return value;
}

/** In the form that a date and time field needs: local time, to the minute. */
function localTime(date: Date): string {
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

function textOr(value: Json | undefined, otherwise: string): string {
  return typeof value === "string" && value !== "" ? value : otherwise;
}

function numberOr(value: Json | undefined): number | null {
  return typeof value === "number" ? value : null;
}
