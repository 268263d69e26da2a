// Finds code that departs from the few rules of dialect that neither the formatter nor the linter knows.

interface Finding {
  readonly line: number;
  readonly found: string;
  readonly use: string;
}

const rules: readonly { readonly pattern: RegExp; readonly use: string }[] = [
  { pattern: /(?<=\bconst )[A-Z][A-Z0-9]*_[A-Z0-9_]+(?=\s*[:=])/gm, use: "camelCase for constants" },
  { pattern: /(?<=\bconst )[A-Z]{3,}(?=\s*[:=])/gm, use: "camelCase for constants" },
  { pattern: /^\s*test(?:\.\w+)?\(/gm, use: "it(…)" },
  {
    pattern: /(?<![\w$.\])])(?:[a-z$_#][\w$]*\??\.)*[a-z$_#][\w$]*(?:\?\.)?\["[A-Za-z_$][\w$]*"\]/gm,
    use: ".key",
  },
];

export function findDialect(text: string): readonly Finding[] {
  return rules.flatMap(({ pattern, use }) =>
    [...text.matchAll(pattern)].map((match) => ({
      line: text.slice(0, match.index).split("\n").length,
      found: match[0].trim(),
      use,
    })),
  );
}
