// Declares what a person is shown before a command runs again with more rights.
import type { QuestionSubject } from "./asked-about.ts";

export type RunAgainRow = {
  /** The command as a question would show it: with its folder, its rights, and the variables that it would get from the agent. */
  readonly subject: QuestionSubject;
  readonly outside: readonly string[];
  /** All variables that the agent gave the command. It gets only those that the person chooses. */
  readonly variables: readonly {
    readonly name: string;
    /** `NAME=VALUE`, secrets removed. */
    readonly shown: string;
  }[];
};
