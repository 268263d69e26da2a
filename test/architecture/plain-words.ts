// Finds words of the glossary's "avoid" column, and our few rules of dialect, in a text.

export interface Finding {
  readonly line: number;
  readonly found: string;
  readonly use: string;
}

interface Rule {
  readonly pattern: RegExp;
  /** Whether the pattern is for text in which names are split into lower-case words. */
  readonly inWords: boolean;
  readonly use: string;
}

export interface WordRules {
  readonly rules: readonly Rule[];
  readonly allowed: readonly string[];
}

/** Reads the table under "Words we do not use". */
export function readWordRules(glossary: string): WordRules {
  const table = glossary.split("## Words we do not use")[1] ?? "";
  const cells = table
    .split("\n")
    .filter((line) => line.startsWith("|") && line.includes("`"))
    .map((line) => line.split("|").map((cell) => cell.trim()));
  return {
    rules: cells.flatMap(([, use = "", avoid = ""]) => quoted(avoid).map((entry) => ruleOf(entry, use))),
    allowed: cells.flatMap(([, , , allowed = ""]) => quoted(allowed)),
  };
}

/** How all packages write code. Applied to TypeScript and JavaScript. */
export const dialect: readonly Rule[] = [
  { pattern: /(?<=\bconst )[A-Z][A-Z0-9]*_[A-Z0-9_]+(?=\s*[:=])/g, inWords: false, use: "camelCase for constants" },
  { pattern: /(?<=\bconst )[A-Z]{3,}(?=\s*[:=])/g, inWords: false, use: "camelCase for constants" },
  { pattern: /^\s*test(?:\.\w+)?\(/gm, inWords: false, use: "it(…)" },
  {
    pattern: /(?<![\w$.\])])(?:[a-z$_#][\w$]*\??\.)*[a-z$_#][\w$]*(?:\?\.)?\["[A-Za-z_$][\w$]*"\]/g,
    inWords: false,
    use: ".key",
  },
];

export function findAvoided(text: string, { rules, allowed }: WordRules): readonly Finding[] {
  const kept = allowed.reduce((rest, entry) => rest.replaceAll(wordPattern(entry), "_"), text);
  const words = splitNames(kept);
  return rules.flatMap(({ pattern, inWords, use }) => {
    const searched = inWords ? words : kept;
    return [...searched.matchAll(pattern)].map((match) => ({
      line: searched.slice(0, match.index).split("\n").length,
      found: match[0].trim().replaceAll(/\s*\n\s*(?:\/\/|\*)?\s*/g, " "),
      use,
    }));
  });
}

function ruleOf(entry: string, use: string): Rule {
  if (entry.endsWith("(…)")) {
    return { pattern: new RegExp(`(?<![\\w$-])${entry.slice(0, -3)}\\(`, "g"), inWords: false, use };
  }
  if (entry.endsWith("…"))
    return { pattern: new RegExp(`\\b${entry.slice(0, -1)}[A-Z]\\w*`, "g"), inWords: false, use };
  if (entry.startsWith("…")) return { pattern: new RegExp(`\\b\\w+${entry.slice(1)}\\b`, "g"), inWords: false, use };
  return { pattern: wordPattern(entry), inWords: true, use };
}

/** The words in order, also over the end of a line of prose or of a comment. */
function wordPattern(entry: string): RegExp {
  return new RegExp(`(?<![\\w'])${entry.split(" ").join("(?:[ _-]|\\s*\\n\\s*(?://|\\*)?\\s*)")}(?!\\w)`, "gi");
}

/** Every camelCase and SCREAMING_CASE name as its words; line breaks stay where they are. */
function splitNames(text: string): string {
  return text.replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, " ").replaceAll("_", " ");
}

function quoted(cell: string): readonly string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? "");
}
