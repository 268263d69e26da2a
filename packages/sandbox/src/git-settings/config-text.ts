// Reads and edits a git config file in the form that git itself writes: a line for each section and each entry. What git would read in any other
// way (a continued line, an entry behind a section's name, a line end of another system) is not read at all, so that no one is deceived.

interface ConfigKey {
  /** In small letters. */
  readonly section: string;
  /** The part in quotes, as it is; empty where there is none. */
  readonly subsection: string;
  /** In small letters. */
  readonly key: string;
}

export interface ConfigEntry extends ConfigKey {
  /** Everything behind the `=`, as it is written; undefined where there is no `=`. */
  readonly value: string | undefined;
  /** The key with its capital letters. */
  readonly writtenKey: string;
}

type ConfigLine =
  | { readonly type: "blank" }
  | ({ readonly type: "header" } & Pick<ConfigKey, "section" | "subsection">)
  | ({ readonly type: "entry" } & ConfigEntry);

const header = /^\[([A-Za-z0-9-]+)(?: "([^"\\\0]*)")?\]$/;
const entry = /^[ \t]*([A-Za-z][A-Za-z0-9-]*)[ \t]*(?:=[ \t]*(.*?)[ \t]*)?$/;
const nothing = /^[ \t]*(?:[#;].*)?$/;

/** Undefined where a line is not in that form. Each character of the text is a byte of the file. */
export function readConfig(text: string): readonly ConfigEntry[] | undefined {
  return readLines(text)?.flatMap((line) => (line.type === "entry" ? [line] : []));
}

function readLines(text: string): readonly ConfigLine[] | undefined {
  // A backslash at the end of a line continues it, also a comment's in some versions; git skips a mark of the byte order.
  if (/[\0\r]|\\\n|\\$|^\u00ef\u00bb\u00bf/.test(text)) return undefined;
  const lines: ConfigLine[] = [];
  let place: Pick<ConfigKey, "section" | "subsection"> | undefined;
  for (const line of text.split("\n")) {
    const [, section, subsection = ""] = header.exec(line) ?? [];
    const [, writtenKey, value] = entry.exec(line) ?? [];
    if (nothing.test(line)) {
      lines.push({ type: "blank" });
    } else if (section !== undefined) {
      place = { section: section.toLowerCase(), subsection };
      lines.push({ type: "header", ...place });
    } else if (writtenKey !== undefined && place !== undefined) {
      lines.push({ type: "entry", ...place, key: writtenKey.toLowerCase(), writtenKey, value });
    } else {
      return undefined;
    }
  }
  return lines;
}

/**
 * The text with these values of a key and no others; without the key where there are none. They stand where the key stood, or at the end of its
 * section, which is added where it is missing and removed where nothing is left in it. Undefined where the text cannot be read.
 */
export function setValues(text: string, key: ConfigKey, values: readonly ConfigEntry[]): string | undefined {
  const lines = readLines(text);
  if (lines === undefined) return undefined;
  const written = text.split("\n");
  const isOfKey = (line: ConfigLine | undefined) => line?.type === "entry" && identify(line) === identify(key);
  const isOfSection = (line: ConfigLine | undefined) =>
    line !== undefined && line.type !== "blank" && line.section === key.section && line.subsection === key.subsection;
  const added = values.map(({ writtenKey, value = "" }) => `\t${writtenKey} = ${value}`);
  const first = lines.findIndex(isOfKey);
  const last = lines.findLastIndex(isOfSection);
  const result: string[] = [];
  for (const [index, line] of written.entries()) {
    if (index === first) result.push(...added);
    if (!isOfKey(lines[index]) && !isEmptied(lines, index, isOfKey, added)) result.push(line);
    if (first === -1 && index === last) result.push(...added);
  }
  if (last !== -1 || added.length === 0) return result.join("\n");
  const name = key.subsection === "" ? key.section : `${key.section} "${key.subsection}"`;
  return `${text}${text === "" || text.endsWith("\n") ? "" : "\n"}[${name}]\n${added.join("\n")}\n`;
}

/** Whether this is the head of a section of which nothing, not even a comment, is left without the key. */
function isEmptied(
  lines: readonly ConfigLine[],
  index: number,
  isOfKey: (line: ConfigLine | undefined) => boolean,
  added: readonly string[],
): boolean {
  if (lines[index]?.type !== "header" || added.length > 0) return false;
  const end = lines.findIndex((line, at) => at > index && line.type === "header");
  const inside = lines.slice(index + 1, end === -1 ? lines.length : end);
  if (end === -1 && inside.at(-1)?.type === "blank") inside.pop(); // what follows the last line end
  return inside.length > 0 && inside.every(isOfKey);
}

/** For comparisons: unlike the name, it is never the same for two keys. */
export function identify({ section, subsection, key }: ConfigKey): string {
  return JSON.stringify([section, subsection, key]);
}

/** As `git config` names it: `branch.main.remote`. */
export function nameKey({ section, subsection, key }: ConfigKey): string {
  return [section, ...(subsection === "" ? [] : [subsection]), key].join(".");
}
