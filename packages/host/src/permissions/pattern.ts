// Wildcards in rules. In a path `*` stays within a folder and `**` does not; elsewhere `*` is any text. A backslash takes the next letter literally.

export function matchesText(pattern: string, text: string): boolean {
  return toExpression(pattern, ".*", ".*").test(text);
}

export function matchesPath(pattern: string, path: string): boolean {
  return toExpression(pattern, "[^/]*", ".*").test(path);
}

/** No wildcard in it: it matches one text only. */
export function isLiteral(pattern: string): boolean {
  return !/[*?]/.test(pattern.replaceAll(/\\./g, ""));
}

function toExpression(pattern: string, star: string, doubleStar: string): RegExp {
  let source = "";
  for (let at = 0; at < pattern.length; at++) {
    const letter = pattern[at] ?? "";
    if (letter === "\\") source += escape(pattern[++at] ?? "\\");
    else if (letter === "?") source += star === ".*" ? "." : "[^/]";
    else if (letter !== "*") source += escape(letter);
    else if (pattern[at + 1] !== "*") source += star;
    else {
      // `a/**/b` also means `a/b`.
      const whole = pattern[at + 2] === "/" && (at === 0 || pattern[at - 1] === "/");
      source += whole ? "(?:.*/)?" : doubleStar;
      at += whole ? 2 : 1;
    }
  }
  return new RegExp(`^${source}$`, "s");
}

function escape(letter: string): string {
  return letter.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
}
