// This module finds the paths that a command line names. It is a help for a person who decides, and no wall: a command can make up any path.
import { readCommand } from "./command-readings.ts";
import { absolutePath, expandHome } from "./path-names.ts";

const maxPaths = 50;
/** Every command may use these. */
const harmlessPaths = /^\/dev\/(?:null|zero|full|random|urandom|tty|stdin|stdout|stderr|fd\/\d+)$/;

/** Absolute paths, and those that begin with `~/` as they are written. The programs themselves are left out. */
export function pathsInCommand(command: string, folder: string): readonly string[] {
  const found = new Set<string>();
  for (const [, ...words] of readCommand(command).possible) {
    for (const word of words) {
      const path = /^(?:--?[\w-]+=|[0-9]*>{1,2}|<)?((?:\/|~\/|\.\.\/).*|~|\.\.)$/s.exec(word)?.[1];
      if (path === undefined || /[\s;&|]/.test(path) || found.size >= maxPaths) continue;
      const whole = path.startsWith("~") ? path : absolutePath(path, folder);
      if (!harmlessPaths.test(whole)) found.add(whole);
    }
  }
  return [...found];
}

const maxWords = 300;
const maxWordLength = 1000;

/** Every word of the commands that the line might run, as the path that it would be: to find out whether the line names a certain path. */
export function wordsAsPaths(
  command: string,
  { commandFolder, home }: { readonly commandFolder: string; readonly home?: string | undefined },
): readonly string[] {
  // Programs too: the target of a redirection is read as one.
  const words = readCommand(command).possible.flat();
  const found = new Set<string>();
  for (const word of words.slice(0, maxWords)) {
    const path = /^(?:--?[\w-]+=|[0-9]*[<>]{1,2}&?)?(.*)$/s.exec(word)?.[1] ?? "";
    if (path === "" || path.length > maxWordLength) continue;
    found.add(absolutePath(home === undefined ? path : expandHome(path, home), commandFolder));
  }
  return [...found];
}
