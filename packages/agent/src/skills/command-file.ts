// Declares a command file: a prompt that the user or the project wrote, called as a slash command with arguments.

export interface CommandFile {
  /** What is typed after the slash: `review`, or `git:review` for a file in the folder `git`. */
  readonly name: string;
  readonly description: string;
  /** What its arguments are; empty where it names none. */
  readonly hint: string;
  readonly origin: "user" | "project";
  /** The prompt with these arguments in it. */
  readonly read: (words: string) => Promise<string>;
}
