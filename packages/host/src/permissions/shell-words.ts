// A command line as the shell would see it, as far as a rule may trust it: the simple commands it consists of. Whatever could hide
// another command (substitution, redirection, expansion of a program's name) makes the line opaque: then only its whole text can be matched.

export type ShellLine =
  | { readonly type: "commands"; readonly commands: readonly (readonly string[])[] }
  | { readonly type: "opaque" };

const opaque: ShellLine = { type: "opaque" };
const separators = new Set([";", "&", "|", "\n"]);

export function readShellLine(line: string): ShellLine {
  const commands: string[][] = [];
  let words: string[] = [];
  let word: string | null = null;
  const endWord = () => {
    if (word !== null) words.push(word);
    word = null;
  };
  const endCommand = () => {
    endWord();
    if (words.length > 0) commands.push(words);
    words = [];
  };
  for (let at = 0; at < line.length; at++) {
    const letter = line[at] ?? "";
    if (letter === "'") {
      const end = line.indexOf("'", at + 1);
      if (end < 0) return opaque;
      word = (word ?? "") + line.slice(at + 1, end);
      at = end;
    } else if (letter === '"') {
      const quoted = readDoubleQuoted(line, at + 1);
      if (quoted === null) return opaque;
      word = (word ?? "") + quoted.text;
      at = quoted.end;
    } else if (letter === "\\") {
      // A backslash before a line's end joins lines; before anything else it takes the letter literally.
      const next = line[++at];
      if (next === undefined) return opaque;
      if (next !== "\n") word = (word ?? "") + next;
    } else if (separators.has(letter)) {
      if (letter === "&" && line[at + 1] === ">") return opaque;
      endCommand();
    } else if (letter === " " || letter === "\t") {
      endWord();
    } else if (letter === "#" && word === null) {
      const end = line.indexOf("\n", at);
      at = (end < 0 ? line.length : end) - 1;
    } else if ("`$(){}<>!".includes(letter)) {
      return opaque;
    } else {
      word = (word ?? "") + letter;
    }
  }
  endCommand();
  return { type: "commands", commands };
}

function readDoubleQuoted(line: string, from: number): { text: string; end: number } | null {
  let text = "";
  for (let at = from; at < line.length; at++) {
    const letter = line[at] ?? "";
    if (letter === '"') return { text, end: at };
    if (letter === "$" || letter === "`") return null;
    if (letter === "\\" && '"\\$`\n'.includes(line[at + 1] ?? "")) {
      at++;
      text += line[at] === "\n" ? "" : (line[at] ?? "");
    } else {
      text += letter;
    }
  }
  return null;
}
