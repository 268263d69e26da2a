// Splits a command line into words as a shell does for quotes: `a "b c" 'd'` are three.

export function wordsOf(line: string): readonly string[] {
  return [...line.matchAll(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g)].map(([word]) =>
    word.replace(
      /"([^"]*)"|'([^']*)'/g,
      (_whole, double: string | undefined, single: string | undefined) => double ?? single ?? "",
    ),
  );
}
