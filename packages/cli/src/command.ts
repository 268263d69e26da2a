// Defines what a command is: its help text, its flags and what it does. Each command is a file of its own that loads when it is used.

export type Flag =
  | { readonly type: "boolean"; readonly help: string }
  | { readonly type: "string"; readonly value: string; readonly help: string; readonly choices?: readonly string[] }
  /** A string that may be given several times. */
  | { readonly type: "list"; readonly value: string; readonly help: string }
  | {
      readonly type: "number";
      readonly value: string;
      readonly help: string;
      readonly min: number;
      readonly max: number;
    };

export type Flags = Readonly<Record<string, Flag>>;

export type FlagValues<F extends Flags> = {
  readonly [Name in keyof F]: F[Name] extends { type: "boolean" }
    ? boolean
    : F[Name] extends { type: "list" }
      ? readonly string[]
      : F[Name] extends { type: "number" }
        ? number | undefined
        : string | undefined;
};

/** The arguments that are not flags. */
export interface Words {
  readonly given: readonly string[];
  /** The command after `--`, where one is expected; null without a `--`. */
  readonly after: readonly string[] | null;
}

/** Which arguments a command takes besides its flags. */
export interface WordRules {
  /** The name in the usage line: `THREAD`. */
  readonly name: string;
  readonly min: number;
  readonly max: number;
  /** The first word says what to do: without it the help is printed. */
  readonly isAction?: boolean;
  /** After `--` comes another command, not more arguments. */
  readonly commandAfterDashes?: boolean;
}

/** Where the program is, so that it can start itself again and find the page. */
export interface Program {
  readonly entry: string;
  readonly version: string;
  /** The shared database as the environment names it; child processes do not inherit it. */
  readonly shared: { readonly url?: string | undefined; readonly key?: string | undefined };
}

export interface Command<F extends Flags = Flags> {
  readonly usage: string;
  readonly about: string;
  readonly flags: F;
  /** Without it the command takes flags only. */
  readonly words?: WordRules;
  /** Example command lines, each with a description. */
  readonly examples?: readonly (readonly [line: string, does: string])[];
  /** Resolves to the exit code. */
  run(flags: FlagValues<F>, program: Program, words: Words): Promise<number>;
}

/** The commands by name. The file behind each loads when the command is used. */
export type CommandTable = Readonly<
  Record<string, { readonly summary: string; readonly load: () => Promise<Command> }>
>;

/** Checks the definition and keeps the exact type of its flags. */
export function command<F extends Flags>(definition: Command<F>): Command<F> {
  return definition;
}

/** `inUse` is EX_TEMPFAIL of sysexits: another process has the register, so a later try may work. */
export const exitCodes = { ok: 0, failed: 1, badUsage: 64, inUse: 75 } as const;

/** The flags of every command that reads the register. */
export const registerFlags = {
  "data-dir": {
    type: "string",
    value: "DIR",
    help: "data folder (default ~/.signalbox or $SIGNALBOX_HOME)",
  },
} as const satisfies Flags;

export function jsonFlag(what: string) {
  return { json: { type: "boolean", help: `print JSON: ${what}` } } as const satisfies Flags;
}
