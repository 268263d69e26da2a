// Checks the answers to an agent's form and gives error messages for the person. ACP's forms are flat: texts, numbers, booleans and choices. A
// pattern comes from the agent and could run forever on some texts, so the caller passes the function that tries it.
import { isJsonObject, type Json, type JsonObject, toFields } from "./json.ts";

export interface FormProblem {
  readonly field: string;
  readonly message: string;
}

export interface FormOption {
  readonly value: string;
  readonly title: string;
}

/** Tells whether a text matches an agent's pattern. */
export type TryPattern = (pattern: string, text: string) => boolean;

/** Empty when the answers fit. Without `tryPattern`, patterns are not looked at: the host does. */
export function formProblems(schema: Json, content: JsonObject, tryPattern?: TryPattern): readonly FormProblem[] {
  const { properties, required } = toFields(schema);
  const fields = toFields(properties);
  const needed = Array.isArray(required) ? required.filter((name) => typeof name === "string") : [];
  const missing = needed
    .filter((name) => !Object.hasOwn(content, name))
    .map((field) => ({ field, message: "This is required." }));
  const wrong = Object.entries(content).flatMap(([field, value]) => {
    const property = Object.hasOwn(fields, field) ? fields[field] : undefined;
    const message = isJsonObject(property)
      ? valueProblem(property, value ?? null, tryPattern)
      : "The agent did not ask for this.";
    return message === null ? [] : [{ field, message }];
  });
  return [...missing, ...wrong];
}

/** Returns the choices of a field; null if it is not a choice. */
export function formOptions(property: JsonObject): readonly FormOption[] | null {
  const source = property.type === "array" && isJsonObject(property.items) ? property.items : property;
  const titled = source.oneOf ?? source.anyOf;
  if (Array.isArray(titled)) {
    return titled.filter(isJsonObject).flatMap(({ const: value, title }) => {
      return typeof value === "string" ? [{ value, title: typeof title === "string" ? title : value }] : [];
    });
  }
  if (!Array.isArray(source.enum)) return null;
  return source.enum.filter((value) => typeof value === "string").map((value) => ({ value, title: value }));
}

function valueProblem(property: JsonObject, value: Json, tryPattern: TryPattern | undefined): string | null {
  switch (property.type) {
    case "string":
      return typeof value === "string" ? textProblem(property, value, tryPattern) : "This must be a text.";
    case "number":
      return typeof value === "number" ? numberProblem(property, value) : "This must be a number.";
    case "integer":
      return Number.isInteger(value) ? numberProblem(property, Number(value)) : "This must be a whole number.";
    case "boolean":
      return typeof value === "boolean" ? null : "This must be true or false.";
    case "array":
      return isTextList(value) ? choiceProblem(property, value) : "This must be a list of choices.";
    default:
      // A kind of field that is newer than we are: anything that ACP can carry.
      return ["string", "number", "boolean"].includes(typeof value) || isTextList(value)
        ? null
        : "This must be a text, a number, true or false, or a list of texts.";
  }
}

function textProblem(property: JsonObject, value: string, tryPattern: TryPattern | undefined): string | null {
  const options = formOptions(property);
  if (options !== null && !options.some((option) => option.value === value)) {
    return `This must be one of ${options.map((option) => option.value).join(", ")}.`;
  }
  // JSON Schema counts code points.
  const { length } = Array.from(value);
  const { minLength, maxLength, pattern, format } = property;
  if (typeof minLength === "number" && length < minLength) return `This must have at least ${minLength} characters.`;
  if (typeof maxLength === "number" && length > maxLength) return `This must have at most ${maxLength} characters.`;
  if (typeof format === "string" && !hasFormat(format, value)) return formatProblems[format] ?? null;
  if (typeof pattern === "string" && tryPattern?.(pattern, value) === false) return `This must match ${pattern}.`;
  return null;
}

function numberProblem({ minimum, maximum }: JsonObject, value: number): string | null {
  if (!Number.isFinite(value)) return "This must be a number.";
  if (typeof minimum === "number" && value < minimum) return `This must be at least ${minimum}.`;
  if (typeof maximum === "number" && value > maximum) return `This must be at most ${maximum}.`;
  return null;
}

function choiceProblem(property: JsonObject, values: readonly string[]): string | null {
  const { minItems, maxItems } = property;
  const options = formOptions(property);
  const foreign = options === null ? undefined : values.find((value) => !options.some((each) => each.value === value));
  if (foreign !== undefined) return `${foreign} is not one of the choices.`;
  if (typeof minItems === "number" && values.length < minItems) return `Choose at least ${minItems}.`;
  if (typeof maxItems === "number" && values.length > maxItems) return `Choose at most ${maxItems}.`;
  return null;
}

const formatProblems: Readonly<Record<string, string>> = {
  email: "This must be an e-mail address.",
  uri: "This must be an address such as https://example.com.",
  date: "This must be a date such as 2026-01-31.",
  "date-time": "This must be a date and time such as 2026-01-31T12:00:00Z.",
};

/** A format that is not known is no limit. */
function hasFormat(format: string, value: string): boolean {
  switch (format) {
    case "email":
      return /^[^\s@]+@[^\s@]+$/.test(value);
    case "uri":
      return /^[a-z][a-z\d+.-]*:[^\s]+$/i.test(value);
    case "date":
      return /^\d{4}-\d\d-\d\d$/.test(value) && isDay(value);
    case "date-time":
      return (
        /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/.test(value) && isDay(value.slice(0, 10))
      );
    default:
      return true;
  }
}

/** The calendar has it: the 31st of February would otherwise become a day in March. */
function isDay(text: string): boolean {
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

function isTextList(value: Json): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}
