// Decides which tools of a server are used: those that `includeTools` names, all where it is absent, without those that `excludeTools` names.

export interface ToolFilter {
  /** Undefined: all of them. */
  readonly include: readonly string[] | undefined;
  readonly exclude: readonly string[];
}

export const everyTool: ToolFilter = { include: undefined, exclude: [] };

/** A sentence says what is wrong. */
export function readToolFilter(
  { includeTools, excludeTools = [] }: Readonly<Record<string, unknown>>,
  place: string,
): ToolFilter | string {
  if (includeTools !== undefined && !isNames(includeTools)) return `${place}.includeTools must be a list of names.`;
  if (!isNames(excludeTools)) return `${place}.excludeTools must be a list of names.`;
  return { include: includeTools, exclude: excludeTools };
}

export function isUsedTool({ include, exclude }: ToolFilter, name: string): boolean {
  const isIncluded = include === undefined || include.some((pattern) => matches(pattern, name));
  return isIncluded && !exclude.some((pattern) => matches(pattern, name));
}

/** Names in the filter that no tool has: mostly misspelled. A pattern that fits nothing today may fit tomorrow. */
export function unknownNames({ include = [], exclude }: ToolFilter, names: readonly string[]): readonly string[] {
  return [...include, ...exclude].filter((name) => !name.includes("*") && !names.includes(name));
}

/** `*` stands for any letters. Each part is looked for once, from left to right, so that no pattern takes long. */
function matches(pattern: string, name: string): boolean {
  const [first = "", ...parts] = pattern.split("*");
  const last = parts.pop();
  if (last === undefined) return pattern === name;
  if (!name.startsWith(first)) return false;
  let from = first.length;
  for (const part of parts) {
    const at = name.indexOf(part, from);
    if (at === -1) return false;
    from = at + part.length;
  }
  return name.length - last.length >= from && name.endsWith(last);
}

function isNames(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((name) => typeof name === "string");
}
