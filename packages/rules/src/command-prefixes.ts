// This module finds the beginnings of a command that a rule could name: `npm run` of `npm run build -- --watch`.
import { readCommand } from "./command-readings.ts";
import { commandInside, nameProgram } from "./wrappers.ts";

/** With any words after them these do anything, or destroy: a rule for all of it is for a person to write. */
const dangerousAlone = new Set(
  "docker podman kubectl node deno bun python python3 perl ruby php lua osascript powershell pwsh npx git gh make".split(
    " ",
  ),
);
/** The same, and their words are no subcommands: `rm build *` would be `rm build -rf /` too. */
const dangerousAlways = new Set(
  "rm rmdir dd mkfs shred chmod chown kill killall pkill mv cp ln curl wget ssh scp rsync awk sed tee find fd fdfind tar vim vi ed".split(
    " ",
  ),
);

const maxSubcommands = 3;

/** After these words the next one says what is done: `npm run build`, `docker compose up`. */
const namesMore = new Set(["run", "run-script", "exec", "compose", "remote", "stash", "submodule", "worktree"]);

interface Prefixes {
  readonly words: readonly string[];
  /** From narrow to wide. The narrowest may be the whole command. */
  readonly starts: readonly (readonly string[])[];
}

/** Undefined where no beginning says something that a person would recognize, or where one would allow anything. */
export function commandPrefixes(command: string): Prefixes | undefined {
  const [only, ...others] = readCommand(command).plain ?? [];
  if (only === undefined || others.length > 0) return undefined;
  const [inner, ...more] = only.inner ?? [only];
  if (inner === undefined || more.length > 0 || !inner.isCertain) return undefined;
  const [program = "", ...words] = inner.words;
  // `sudo`, `env`, `xargs` and their like: a pattern would allow whatever stands behind them.
  const runsOthers = commandInside(inner.words.map((text) => ({ text, isLiteral: true, quotedAt: undefined })));
  if (runsOthers.commands.length + runsOthers.lines.length > 0 || runsOthers.hides) return undefined;
  if (dangerousAlways.has(nameProgram(program))) return undefined;
  const end = words.findIndex((word) => !/^[A-Za-z][\w:.-]*$/.test(word));
  const subcommands = words.slice(0, Math.min(end < 0 ? words.length : end, maxSubcommands));
  const starts = subcommands.map((_, index) => [program, ...subcommands.slice(0, index + 1)]).toReversed();
  if (!dangerousAlone.has(nameProgram(program))) starts.push([program]);
  return { words: inner.words, starts };
}

/** The beginning that an "always" is about: the program and what it does, as in `npm test` or `npm run build`. Undefined: only this command. */
export function usualPrefix(command: string): string | undefined {
  const { starts } = commandPrefixes(command) ?? { starts: [] };
  const [, second = ""] = starts[0] ?? [];
  const wanted = namesMore.has(second) ? 3 : 2;
  const found = starts.find((start) => start.length === wanted) ?? (second === "" ? starts.at(-1) : undefined);
  return found?.join(" ");
}
