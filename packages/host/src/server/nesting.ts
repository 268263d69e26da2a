// Limits how deep the JSON of a frame may be nested: recursive readers would run out of stack.

/** Far more than any valid message has. */
const maxDepth = 200;

const quote = 0x22;
const backslash = 0x5c;
const opening: ReadonlySet<number> = new Set([0x5b, 0x7b]);
const closing: ReadonlySet<number> = new Set([0x5d, 0x7d]);

/** For a text that is JSON: brackets inside of strings do not count. */
export function isNestedTooDeep(json: string): boolean {
  let level = 0;
  let isInString = false;
  for (let at = 0; at < json.length; at++) {
    const letter = json.charCodeAt(at);
    if (isInString) {
      if (letter === backslash) at++;
      else if (letter === quote) isInString = false;
    } else if (letter === quote) isInString = true;
    else if (opening.has(letter) && ++level > maxDepth) return true;
    else if (closing.has(letter)) level--;
  }
  return false;
}
