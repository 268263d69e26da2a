// Puts arguments into the text of a command file: `$ARGUMENTS` is all of them, `$1` to `$9` are single ones, in quotes where they have blanks.

/** Arguments are never searched for places themselves. Where the text has no place for them, they stand below it. */
export function fillArguments(text: string, words: string): string {
  const whole = words.trim();
  const single = splitArguments(whole);
  let isUsed = false;
  const filled = text.replace(/\$(?:ARGUMENTS\b|([1-9])(?!\d))/g, (_place, number: string | undefined) => {
    isUsed = true;
    return number === undefined ? whole : (single[Number(number) - 1] ?? "");
  });
  return isUsed || whole === "" ? filled : `${filled}\n\n${whole}`;
}

/** At blanks, but for those in single or double quotes. */
function splitArguments(text: string): readonly string[] {
  return Array.from(
    text.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g),
    ([, double, single, plain]) => double ?? single ?? plain ?? "",
  );
}
