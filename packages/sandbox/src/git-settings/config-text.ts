// Reads a git config file in the form that git itself writes: a line for each section and each entry. What git would read in any other way (a
// continued line, an entry behind a section's name, a line end of another system) is not read at all, so that no one is deceived.

export interface ConfigEntry {
  /** In small letters. */
  readonly section: string;
  /** The part in quotes, as it is; empty where there is none. */
  readonly subsection: string;
  /** In small letters. */
  readonly key: string;
  /** Everything behind the `=`, as it is written; undefined where there is no `=`. */
  readonly value: string | undefined;
}

const header = /^\[([A-Za-z0-9-]+)(?: "([^"\\\0]*)")?\]$/;
const entry = /^[ \t]*([A-Za-z][A-Za-z0-9-]*)[ \t]*(?:=[ \t]*(.*?)[ \t]*)?$/;
const nothing = /^[ \t]*(?:[#;].*)?$/;

/** Undefined where a line is not in that form. Each character of the text is a byte of the file. */
export function readConfig(text: string): readonly ConfigEntry[] | undefined {
  // A backslash at the end of a line continues it, also a comment's in some versions; git skips a mark of the byte order.
  if (/[\0\r]|\\\n|\\$|^\u00ef\u00bb\u00bf/.test(text)) return undefined;
  const entries: ConfigEntry[] = [];
  let place: Pick<ConfigEntry, "section" | "subsection"> | undefined;
  for (const line of text.split("\n")) {
    if (nothing.test(line)) continue;
    const [, section, subsection = ""] = header.exec(line) ?? [];
    if (section !== undefined) {
      place = { section: section.toLowerCase(), subsection };
      continue;
    }
    const [, key, value] = entry.exec(line) ?? [];
    if (key === undefined || place === undefined) return undefined;
    entries.push({ ...place, key: key.toLowerCase(), value });
  }
  return entries;
}

/** As `git config` names it: `branch.main.remote`. */
export function nameOf({ section, subsection, key }: ConfigEntry): string {
  return [section, ...(subsection === "" ? [] : [subsection]), key].join(".");
}
