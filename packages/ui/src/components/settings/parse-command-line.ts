// Reads a command line that was typed: its words as a shell splits them by blanks and quotes, so that `a "b c" 'd'` are three.

/** As config.json has a command. */
export function parseCommandLine(line: string): { command: string; args?: string[] } {
  const [command = "", ...args] = splitArguments(line);
  return { command, ...(args.length === 0 ? {} : { args }) };
}

function splitArguments(line: string): readonly string[] {
  return [...line.matchAll(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g)].map(([word]) =>
    word.replace(
      /"([^"]*)"|'([^']*)'/g,
      (_whole, double: string | undefined, single: string | undefined) => double ?? single ?? "",
    ),
  );
}
