// Declares a command file: a prompt that the user or the project wrote, called as a slash command with arguments.

export interface CommandFile {
  /** The name after the slash: `review`, or `git:review` for a file in the folder `git`. */
  readonly name: string;
  readonly description: string;
  /** Describes the arguments; empty if the file names none. */
  readonly hint: string;
  readonly origin: "user" | "project";
  /** The prompt with these arguments in it. */
  readonly read: (words: string) => Promise<string>;
}
