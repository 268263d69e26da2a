// Finds words of the glossary's "avoid" column, and our few rules of dialect, in a text.

export interface Finding {
  readonly line: number;
  readonly found: string;
  readonly use: string;
}

interface Rule {
  readonly pattern: RegExp;
  readonly use: string;
}

export interface WordRules {
  /** For text in which names are split into words. */
  readonly words: readonly Rule[];
  /** For text as it is. */
  readonly names: readonly Rule[];
  readonly allowed: readonly RegExp[];
}

/** Reads the table under "Words we do not use". */
export function readWordRules(glossary: string): WordRules {
  const table = glossary.split("## Words we do not use")[1] ?? "";
  const cells = table
    .split("\n")
    .filter((line) => line.startsWith("|") && line.includes("`"))
    .map((line) => line.split("|").map((cell) => cell.trim()));
  const entries = cells.flatMap(([, use = "", avoid = ""]) => quoted(avoid).map((entry) => ({ entry, use })));
  const isName = ({ entry }: { entry: string }) => entry.includes("…");
  return {
    words: entries.filter((each) => !isName(each)).map(({ entry, use }) => ({ pattern: wordPattern(entry), use })),
    names: entries.filter(isName).map(({ entry, use }) => ({ pattern: namePattern(entry), use })),
    allowed: cells.flatMap(([, , , allowed = ""]) => quoted(allowed)).map(wordPattern),
  };
}

/** How all packages write code. Applied to TypeScript and JavaScript. */
export const dialect: WordRules = {
  words: [],
  allowed: [],
  names: [
    { pattern: /(?<=\bconst )[A-Z][A-Z0-9]*_[A-Z0-9_]+(?=\s*[:=])/gm, use: "camelCase for constants" },
    { pattern: /(?<=\bconst )[A-Z]{3,}(?=\s*[:=])/gm, use: "camelCase for constants" },
    { pattern: /^\s*test(?:\.\w+)?\(/gm, use: "it(…)" },
    {
      pattern: /(?<![\w$.\])])(?:[a-z$_#][\w$]*\??\.)*[a-z$_#][\w$]*(?:\?\.)?\["[A-Za-z_$][\w$]*"\]/gm,
      use: ".key",
    },
  ],
};

export function findAvoided(text: string, { words, names, allowed }: WordRules): readonly Finding[] {
  const searched = allowed.reduce((rest, pattern) => rest.replaceAll(pattern, "_"), joinComments(text));
  return [...find(splitNames(searched), words), ...find(searched, names)];
}

/** One pass with all patterns together, because most files have no finding. */
function find(text: string, rules: readonly Rule[]): readonly Finding[] {
  if (rules.length === 0) return [];
  const any = new RegExp(
    rules.map(({ pattern }) => `(?:${pattern.source})`).join("|"),
    rules[0]?.pattern.flags.replace("g", ""),
  );
  if (!any.test(text)) return [];
  return rules.flatMap(({ pattern, use }) =>
    [...text.matchAll(pattern)].map((match) => ({
      line: text.slice(0, match.index).split("\n").length,
      found: match[0].trim().replaceAll("\n", " "),
      use,
    })),
  );
}

/** For `most…`, `…Words` and `say(…)`. */
function namePattern(entry: string): RegExp {
  if (entry.endsWith("(…)")) return new RegExp(`(?<![\\w$-])${entry.slice(0, -3)}\\(`, "gm");
  return entry.endsWith("…")
    ? new RegExp(`\\b${entry.slice(0, -1)}[A-Z]\\w*`, "gm")
    : new RegExp(`\\b\\w+${entry.slice(1)}\\b`, "gm");
}

/** The words in order, also over the end of a line. */
function wordPattern(entry: string): RegExp {
  return new RegExp(`(?<![\\w'])${entry.split(" ").join("[ _\\n-]")}(?!\\w)`, "gi");
}

/** Removes what stands between the lines of a comment or a paragraph, except the line end. */
function joinComments(text: string): string {
  return text.replaceAll(/[ \t]*\n[ \t]*(?:\/\/|\*)?[ \t]*/g, "\n");
}

/** Every camelCase and SCREAMING_CASE name as its words; line breaks stay where they are. */
function splitNames(text: string): string {
  return text.replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, " ").replaceAll("_", " ");
}

function quoted(cell: string): readonly string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? "");
}
