// What a command is: its words for --help, its flags, and what it does. Each lies in a file of its own, loaded when used.

export type Flag =
  | { readonly type: "boolean"; readonly help: string }
  | { readonly type: "string"; readonly value: string; readonly help: string; readonly choices?: readonly string[] }
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
    : F[Name] extends { type: "number" }
      ? number | undefined
      : string | undefined;
};

/** Where the program lies, so that it can start itself again and find the page. */
export interface Program {
  readonly entry: string;
  readonly version: string;
}

export interface Command<F extends Flags = Flags> {
  readonly usage: string;
  readonly about: string;
  readonly flags: F;
  /** Resolves to the exit code. */
  run(flags: FlagValues<F>, program: Program): Promise<number>;
}

/** Keeps the flags' own types while checking the shape. */
export function command<F extends Flags>(definition: Command<F>): Command<F> {
  return definition;
}

export const exitCodes = { ok: 0, failed: 1, badUsage: 64 } as const;
