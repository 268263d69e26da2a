// This module gives the two readings of a command line that rules need: what it certainly consists of, to allow it, and everything it might
// run, to deny it.
import { isHarmlessVariable } from "./environment.ts";
import { commandsAnywhere, readAssignment, readShellLine, type ShellCommand, type ShellWord } from "./shell-line.ts";
import { isShell } from "./shell-wrapper.ts";
import { commandInside, nameProgram } from "./wrappers.ts";

export interface PlainCommand {
  readonly words: readonly string[];
  /** Its program is what the first word says: no assignment, no wildcard, no blank in it, no way up through folders. */
  readonly isCertain: boolean;
  /** The commands of `sh -c LINE`, which runs nothing else. */
  readonly inner?: readonly PlainCommand[] | undefined;
}

export interface CommandReadings {
  /** The line's commands, each without harmless assignments before it; undefined when it might run anything else. */
  readonly plain: readonly PlainCommand[] | undefined;
  /** The words of every command that the line might run, also behind wrappers and inside texts for another shell. */
  readonly possible: readonly (readonly string[])[];
  /** It might run a command that is not among them. */
  readonly hidesMore: boolean;
}

const maxReadings = 400;
const maxDepth = 6;

export function readCommand(line: string): CommandReadings {
  const { commands, isPlain } = readShellLine(line);
  const search = new Search();
  for (const command of commands) search.add(command, 0);
  if (!isPlain) for (const command of commandsAnywhere(line)) search.add(command, 0);
  return {
    plain: isPlain && commands.length > 0 ? commands.map(plainCommand) : undefined,
    possible: search.found,
    hidesMore: !isPlain || search.hidesMore,
  };
}

/** The names of all programs that the line might run, as far as it names them. */
export function listPrograms(line: string): readonly string[] {
  return [...new Set(readCommand(line).possible.flatMap(([program]) => (program === undefined ? [] : [program])))];
}

function plainCommand(command: ShellCommand): PlainCommand {
  const start = command.findIndex((word) => {
    const assignment = readAssignment(word);
    return assignment === undefined || !isHarmlessVariable(assignment.name, assignment.value);
  });
  // Assignments alone hold for the commands that follow: those are not harmless.
  const words = start < 0 ? command : command.slice(start);
  return { words: words.map(({ text }) => text), isCertain: isCertainProgram(words[0]), inner: innerCommands(words) };
}

function isCertainProgram(program: ShellWord | undefined): boolean {
  if (program === undefined || !program.isLiteral || readAssignment(program) !== undefined) return false;
  return !/\s/.test(program.text) && !/\/\.\.(\/|$)/.test(program.text);
}

function innerCommands([program, option, line, ...others]: ShellCommand): readonly PlainCommand[] | undefined {
  if (line === undefined || others.length > 0 || option === undefined || program === undefined) return undefined;
  if (!isShell(program.text, option.text)) return undefined;
  if (![program, option, line].every(({ isLiteral }) => isLiteral)) return undefined;
  const { commands, isPlain } = readShellLine(line.text);
  return isPlain && commands.length > 0 ? commands.map(plainCommand) : undefined;
}

class Search {
  readonly found: (readonly string[])[] = [];
  hidesMore = false;

  add(command: ShellCommand, depth: number): void {
    const [program] = command;
    if (program === undefined) return;
    if (this.found.length >= maxReadings || depth > maxDepth) {
      this.hidesMore = true;
      return;
    }
    const words = command.map(({ text }) => text);
    this.found.push(words);
    const name = nameProgram(program.text);
    if (name !== program.text) this.found.push([name, ...words.slice(1)]);
    // A program whose name the shell makes up, such as `/bin/r?` or `$x`.
    if (!program.isLiteral && readAssignment(program) === undefined) this.hidesMore = true;
    const inside = commandInside(command);
    if (inside.hides) this.hidesMore = true;
    for (const inner of inside.commands) this.add(inner, depth + 1);
    for (const line of inside.lines) this.#addLine(line, depth + 1);
  }

  #addLine(line: string, depth: number): void {
    const { commands, isPlain } = readShellLine(line);
    if (!isPlain) this.hidesMore = true;
    for (const command of commands) this.add(command, depth);
    if (!isPlain) for (const command of commandsAnywhere(line)) this.add(command, depth);
  }
}
