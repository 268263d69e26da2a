// Reads from a tool call which edits it would make: from its diffs, or from an input that names a file and the texts.
import { isJsonObject, type Json, type JsonObject } from "@signalbox/protocol";
import { readInputFile } from "@signalbox/rules";

export interface Edit {
  readonly path: string;
  /** The text that is replaced, a part of the file or all of it; null where the agent named none: the file is written whole. */
  readonly before: string | null;
  readonly after: string;
  /** Every place where `before` stands is replaced. */
  readonly isEverywhere: boolean;
  readonly isDeletion: boolean;
}

const names = {
  before: ["old_string", "old_str", "oldString", "old_text", "oldText", "before", "search"],
  after: ["new_string", "new_str", "newString", "new_text", "newText", "after", "replace"],
  whole: ["content", "contents", "file_text"],
  everywhere: ["replace_all", "replaceAll"],
} as const;

/** The edits of diff content. */
export function editsInContent(content: Json | undefined, rawInput: Json | undefined): readonly Edit[] {
  const isEverywhere = isJsonObject(rawInput) && names.everywhere.some((name) => rawInput[name] === true);
  const parts = Array.isArray(content) ? content.filter(isJsonObject) : [];
  return parts.flatMap(({ type, path, oldText, newText, _meta: meta }): Edit[] => {
    if (type !== "diff" || typeof path !== "string") return [];
    const after = typeof newText === "string" ? newText : "";
    const before = typeof oldText === "string" ? oldText : null;
    const isDeletion = newText === null || (isJsonObject(meta) && meta.kind === "delete");
    return [{ path, before, after, isEverywhere, isDeletion }];
  });
}

/** The edit that an input names, by the words that agents use for it. Empty where it is not certain to be one. */
export function editsInInput({ rawInput, kind, title, name }: JsonObject): readonly Edit[] {
  if (!isJsonObject(rawInput)) return [];
  const path = readInputFile(rawInput);
  if (path === undefined) return [];
  const before = readText(rawInput, names.before);
  const after = readText(rawInput, names.after);
  if (before !== undefined && after !== undefined) {
    const isEverywhere = names.everywhere.some((word) => rawInput[word] === true);
    return [{ path, before, after, isEverywhere, isDeletion: false }];
  }
  const whole = readText(rawInput, names.whole);
  const writes = [name, title, rawInput.command].some(
    (word) => typeof word === "string" && /^(?:write|create|save)(?:$|[_\s])/i.test(word),
  );
  if (whole === undefined || (kind !== "edit" && !writes)) return [];
  return [{ path, before: null, after: whole, isEverywhere: false, isDeletion: false }];
}

function readText(input: JsonObject, keys: readonly string[]): string | undefined {
  const found = keys.map((key) => input[key]).filter((value) => typeof value === "string");
  // Two names for one thing: which one the tool obeys is not known.
  return found.length === 1 ? found[0] : undefined;
}
