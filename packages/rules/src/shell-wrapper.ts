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

const anyShell = /^(?:\/(?:\S*\/)?bin\/)?(?:sh|bash|dash|ash|ksh|zsh)$/;
/** A login shell, an interactive one, and the option after which it reads the line, together or apart. */
const anyOptions = /^-[li]*c?$/;

/**
 * The line that a shell around a command reads, of more shells than rules look through: only for comparing a line with one that a person has
 * read. The command itself where no shell is around it.
 */
export function lineInShell(command: string): string {
  const { line, shell } = unwrapCommand(command);
  if (shell !== undefined) return line;
  const { commands, isPlain } = readShellLine(command);
  const [all = [], ...others] = commands;
  if (!isPlain || others.length > 0 || !all.every(({ isLiteral }) => isLiteral)) return command;
  const words = all.map(({ text }) => text);
  const [program = "", ...rest] = words[0] === "/usr/bin/env" || words[0] === "env" ? words.slice(1) : words;
  const given = rest.slice(0, -1);
  const isWrapped = anyShell.test(program) && given.every((option) => anyOptions.test(option));
  // The last option, and no other, is the one after which the line stands.
  const readsLine = given.findIndex((option) => option.endsWith("c")) === given.length - 1 && given.length > 0;
  return isWrapped && readsLine ? (rest.at(-1) ?? command) : command;
}

/** Whether the two words are a shell and the option after which it reads a command line. */
export function isShell(program: string | undefined, option: string | undefined): boolean {
  return program !== undefined && option !== undefined && shells.test(program) && options.test(option);
}
