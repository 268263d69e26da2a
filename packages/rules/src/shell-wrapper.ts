// This module sees through the shell that an agent wraps around a command: `bash -lc 'make test'` is `make test`.
import { readShellLine } from "./shell-line.ts";

interface UnwrappedCommand {
  /** The line that the shell reads; the command itself where no shell is around it. */
  readonly line: string;
  /** The shell with its options, such as `bash -lc`. */
  readonly shell: string | undefined;
}

const shells = /^(?:\/bin\/|\/usr\/bin\/)?(?:sh|bash|dash)$/;
const options = /^-l?c$/;
/** As `quoteArguments` writes it: also lines that are too long to be read word by word. */
const quoted = /^((?:\/bin\/|\/usr\/bin\/)?(?:sh|bash|dash) -l?c) '((?:[^']|'\\'')*)'$/s;

export function unwrapCommand(command: string): UnwrappedCommand {
  const [, around, inside] = quoted.exec(command.trim()) ?? [];
  if (around !== undefined && inside !== undefined) return { line: inside.replaceAll("'\\''", "'"), shell: around };
  const { commands, isPlain } = readShellLine(command);
  const [words, ...others] = commands;
  if (!isPlain || words === undefined || others.length > 0) return { line: command, shell: undefined };
  const [shell, option, line, ...more] = words;
  const isWrapped = isShell(shell?.text, option?.text) && line !== undefined && more.length === 0;
  return isWrapped && words.every(({ isLiteral }) => isLiteral)
    ? { line: line.text, shell: `${shell?.text} ${option?.text}` }
    : { line: command, shell: undefined };
}

/** Whether the two words are a shell and the option after which it reads a command line. */
export function isShell(program: string | undefined, option: string | undefined): boolean {
  return program !== undefined && option !== undefined && shells.test(program) && options.test(option);
}
