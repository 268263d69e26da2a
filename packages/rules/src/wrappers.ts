// This module lists programs and shell words that run another command, and finds that command behind their options.
import { isKeyword, readAssignment, type ShellCommand, type ShellWord } from "./shell-line.ts";

interface Wrapper {
  /** Letters of options without a value. */
  readonly flags?: string;
  /** Letters of options that take a value, attached or as the next word. */
  readonly values?: string;
  /** Long options that take a value as the next word. */
  readonly longValues?: readonly string[];
  /** Words between the options and the command: a time limit, a lock file, a host. */
  readonly operands?: number;
  /** The rest is read by a shell: one text, joined with blanks. */
  readonly isLine?: true;
  /** An option whose value is read by a shell. */
  readonly lineOptions?: readonly string[];
  /** Without any operand it runs what it reads. */
  readonly readsInput?: true;
}

const shell: Wrapper = { flags: "abefhiklmnprstuvxBCEHPTD", values: "oO", lineOptions: ["-c"], readsInput: true };

const wrappers: Readonly<Record<string, Wrapper>> = {
  sudo: {
    flags: "ABbEeHiKklNnPSsVv",
    values: "CDghpRrTtUu",
    longValues: ["user", "group", "host", "prompt", "chdir", "chroot", "role", "type", "other-user", "close-from"],
  },
  doas: { flags: "Lns", values: "aCu" },
  env: {
    flags: "0iv",
    values: "uCSP",
    longValues: ["unset", "chdir", "split-string"],
    lineOptions: ["-S", "--split-string"],
  },
  nice: { values: "n", longValues: ["adjustment"] },
  ionice: { flags: "t", values: "cnpPu", longValues: ["class", "classdata"] },
  chrt: { flags: "abfimorRv", values: "TPD", operands: 1 },
  taskset: { flags: "a", values: "c", operands: 1 },
  timeout: { flags: "fpv", values: "ks", longValues: ["kill-after", "signal"], operands: 1 },
  nohup: {},
  setsid: { flags: "cfw" },
  stdbuf: { values: "ioe", longValues: ["input", "output", "error"] },
  exec: { flags: "cl", values: "a" },
  time: { flags: "apvqV", values: "fo", longValues: ["format", "output"] },
  command: { flags: "pvV" },
  builtin: {},
  noglob: {},
  xargs: {
    flags: "0eilprtxo",
    values: "EIJLnPRsdaS",
    longValues: ["max-args", "max-lines", "max-procs", "max-chars", "delimiter", "arg-file", "replace", "eof"],
  },
  parallel: { values: "jNnLIda", longValues: ["jobs"] },
  flock: { flags: "enosux", values: "wE", longValues: ["timeout"], operands: 1, lineOptions: ["-c", "--command"] },
  chroot: { longValues: ["userspec", "groups"], operands: 1 },
  unshare: { flags: "imnpuUCTrfc" },
  strace: { flags: "cCdfFhiknqrtTvVwxyYzZ", values: "abeEIoOpPsSuUX" },
  ltrace: { flags: "bcCfhiLrStTV", values: "aDelnopsuwxX" },
  busybox: {},
  toybox: {},
  caffeinate: { flags: "dimsu", values: "tw" },
  script: { flags: "aefq", values: "cEIOBTm", lineOptions: ["-c", "--command"] },
  su: { flags: "flmpP", values: "cgGsw", lineOptions: ["-c", "--command"] },
  runuser: { flags: "flmpP", values: "cgGsuw", lineOptions: ["-c", "--command"] },
  watch: { flags: "bcdegptxw", values: "nq", longValues: ["interval"], isLine: true },
  ssh: { flags: "46AaCfGgKkMNnqsTtVvXxYy", values: "BbcDEeFIiJLlmOoPpQRSWw", operands: 1, isLine: true },
  eval: { isLine: true },
  trap: { isLine: true },
  sh: shell,
  bash: shell,
  dash: shell,
  zsh: shell,
  ksh: shell,
  ash: shell,
  fish: shell,
};

/** `find` and its like run what stands after these. */
const execOptions = new Set(["-exec", "-execdir", "-ok", "-okdir", "-x", "-X", "--exec", "--exec-batch"]);
const finders = new Set(["find", "fd", "fdfind"]);

interface Inside {
  /** The commands that it runs, as far as they can be seen. An unknown option gives two: with a value and without. */
  readonly commands: readonly ShellCommand[];
  /** Texts that a shell will read. */
  readonly lines: readonly string[];
  /** It runs what it reads from elsewhere. */
  readonly hides: boolean;
}

const nothing: Inside = { commands: [], lines: [], hides: false };

export function nameProgram(text: string): string {
  return text.slice(text.lastIndexOf("/") + 1);
}

/** Finds the command that a command line really runs, behind keywords, assignments and wrappers. */
export function commandInside(words: ShellCommand): Inside {
  const [first, ...rest] = words;
  if (first === undefined) return nothing;
  if (isKeyword(first) || readAssignment(first) !== undefined) {
    const isTimed = first.text === "time";
    return isTimed ? behindOptions(words, wrappers.time ?? {}) : { ...nothing, commands: [rest] };
  }
  const program = nameProgram(first.text);
  if (finders.has(program)) return { ...nothing, commands: afterExec(rest) };
  const wrapper = Object.hasOwn(wrappers, program) ? wrappers[program] : undefined;
  return wrapper === undefined ? nothing : behindOptions(words, wrapper);
}

function afterExec(words: ShellCommand): readonly ShellCommand[] {
  return words.flatMap(({ text }, index) => (execOptions.has(text) ? [words.slice(index + 1)] : []));
}

function behindOptions(words: ShellCommand, wrapper: Wrapper): Inside {
  const { operands = 0, isLine = false, lineOptions = [], readsInput = false } = wrapper;
  const lines: string[] = [];
  const starts: number[] = [];
  let at = 1;
  for (; at < words.length; ) {
    const word = words[at];
    const text = word?.text ?? "";
    if (text === "--") {
      at++;
      break;
    }
    if (word !== undefined && readAssignment(word) !== undefined) at++;
    else if (text === "-" || /^[-+]./.test(text)) {
      const line = lineOptions.find((option) => isOption(text, option));
      if (line !== undefined) lines.push(readInnerLine(text, line, words[at + 1]));
      const takes = readOptionValue(text, wrapper);
      if (takes === "unknown") starts.push(at + 2);
      at += takes === "next" ? 2 : 1;
    } else break;
  }
  starts.push(at + operands);
  // `flock FILE -c LINE`
  if (operands > 0 && lineOptions.includes(words[at + operands]?.text ?? ""))
    lines.push(words[at + operands + 1]?.text ?? "");
  const rests = starts.map((start) => words.slice(start)).filter((rest) => rest.length > 0);
  if (isLine) return { commands: [], lines: [...lines, ...rests.map(joined)], hides: rests.some(isUncertain) };
  if (readsInput) return { commands: [], lines, hides: lines.length === 0 && at >= words.length };
  return { commands: rests, lines, hides: false };
}

/** `-c` also in a group such as `-lc`, and `--command=…`. */
function isOption(text: string, option: string): boolean {
  if (option.startsWith("--")) return text === option || text.startsWith(`${option}=`);
  return text.startsWith("-") && !text.startsWith("--") && text.includes(option.slice(1));
}

function readInnerLine(text: string, option: string, next: ShellWord | undefined): string {
  if (option.startsWith("--") && text.includes("=")) return text.slice(text.indexOf("=") + 1);
  const attached = text.slice(text.indexOf(option.slice(1)) + 1);
  // A shell's `-c` never has its text attached, other programs' may.
  return next === undefined || (!option.startsWith("--") && attached.length > 3) ? attached : next.text;
}

function readOptionValue(text: string, { flags = "", values = "", longValues = [], lineOptions = [] }: Wrapper) {
  if (text.startsWith("--")) {
    const name = text.slice(2);
    if (name.includes("=")) return "none";
    if (lineOptions.includes(text)) return "next";
    return longValues.includes(name) ? "next" : "unknown";
  }
  if (/^-\d*$/.test(text)) return "none";
  const letters = text.slice(1);
  for (let at = 0; at < letters.length; at++) {
    const letter = letters.charAt(at);
    if (values.includes(letter) || lineOptions.includes(`-${letter}`))
      return at === letters.length - 1 ? "next" : "none";
    if (!flags.includes(letter)) return "unknown";
  }
  return "none";
}

function joined(words: ShellCommand): string {
  return words.map(({ text }) => text).join(" ");
}

function isUncertain(words: ShellCommand): boolean {
  return words.some(({ isLiteral }) => !isLiteral);
}
