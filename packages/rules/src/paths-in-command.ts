// This module finds the paths that a command line names. It is a help for a person who decides, and no wall: a command can make up any path.
import { readCommand } from "./command-readings.ts";
import { absolutePath } from "./path-names.ts";

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
