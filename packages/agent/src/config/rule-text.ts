// A permission rule in one line, as people write it for the host: `kind:edit,path:src/**`, `command:git *`, `all`. The host and its own agent read
// the same file.

const words = ["agent", "kind", "tool", "path", "command"] as const;

export type RuleTerms = { readonly [Word in (typeof words)[number]]?: string };

/** Null when the text is no rule. Commas inside a pattern are written `\\,`. */
export function parseRuleText(text: string): RuleTerms | null {
  const terms: { [Word in (typeof words)[number]]?: string } = {};
  for (const part of text.split(/(?<!\\),/).map((piece) => piece.trim().replaceAll("\\,", ","))) {
    if (part === "all") continue;
    const at = part.indexOf(":");
    const word = words.find((name) => name === part.slice(0, at));
    const pattern = part.slice(at + 1).trim();
    if (word === undefined || pattern === "" || terms[word] !== undefined) return null;
    terms[word] = pattern;
  }
  return terms;
}

/** `*` is any text. */
export function nameFits(pattern: string, name: string): boolean {
  const parts = pattern.split("*").map((part) => part.replaceAll(/[.+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join(".*")}$`).test(name);
}
