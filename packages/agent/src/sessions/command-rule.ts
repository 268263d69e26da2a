// Whether a rule about commands fits a command. What allows must fit all of it; what asks or denies is enough to fit a part. Matched without
// a regular expression: a rule may be a project's, and there a few stars can take for ever.

/** A letter as it is, or a wildcard. */
type Token = { readonly letter: string } | "one" | "many";

/** What could start another command, or send its output elsewhere. */
const special = /[;&|<>$`(){}\n\r]/;

/** `*` is any text, `?` one letter. To allow, they stand for plain words only. */
export function commandFits(pattern: string, args: unknown, decision: "allow" | "ask" | "deny"): boolean {
  const command = typeof args === "object" && args !== null && "command" in args ? args.command : undefined;
  if (typeof command !== "string") return false;
  const patterns = readPattern(pattern.trim());
  const fits = (text: string, isWild: (letter: string) => boolean) =>
    patterns.some((tokens) => fitsTokens(tokens, text.trim(), isWild));
  if (decision === "allow") return fits(command, (letter) => !special.test(letter));
  return [command, ...command.split(/[;&|\n\r(){}`]+/)].some((part) => fits(part, () => true));
}

/** `git *` also means `git` alone. A backslash takes the next letter literally. */
function readPattern(pattern: string): readonly (readonly Token[])[] {
  const found = pattern.match(/\\[^]|[^]/g) ?? [];
  const tokens = found.map((token): Token => {
    if (token === "*") return "many";
    if (token === "?") return "one";
    return { letter: token.length === 2 ? token.slice(1) : token };
  });
  return found.at(-2) === " " && found.at(-1) === "*" ? [tokens, tokens.slice(0, -2)] : [tokens];
}

/** What stands between two stars is taken where it comes first: whatever fits with a later place fits with that, too. */
function fitsTokens(tokens: readonly Token[], text: string, isWild: (letter: string) => boolean): boolean {
  let token = 0;
  let at = 0;
  /** The last star, and how far it goes by now. */
  let star = -1;
  let starEnd = 0;
  while (at < text.length) {
    const wanted = tokens[token];
    const letter = text.charAt(at);
    if (wanted === "many") {
      star = token++;
      starEnd = at;
    } else if (wanted !== undefined && (wanted === "one" ? isWild(letter) : wanted.letter === letter)) {
      token++;
      at++;
    } else if (star >= 0 && isWild(text.charAt(starEnd))) {
      starEnd++;
      at = starEnd;
      token = star + 1;
    } else return false;
  }
  while (tokens[token] === "many") token++;
  return token === tokens.length;
}
