// Describes how an agent's process ended, with the end of what it printed.
import { stripVTControlCharacters } from "node:util";

const maxTailCharacters = 4000;

/** How the process ended. */
export interface AgentExit {
  /** As `describeExit` says it, or "could not be started: …". */
  readonly what: string;
  /** False when no process was started; then `what` ends with what to do about it. */
  readonly wasStarted: boolean;
  /** The end of what it wrote to stderr. */
  readonly stderr: string;
  /** The end of what it wrote to stdout that was no message. */
  readonly junk: string;
}

/** "exited with code 1", "was ended by SIGKILL". */
export function describeExit(code: number | null, signal: NodeJS.Signals | null): string {
  return signal === null ? `exited with code ${code}` : `was ended by ${signal}`;
}

/** Completes a sentence that begins with the agent's name. */
export function describeEnding({ what, wasStarted }: AgentExit, when = ""): string {
  return wasStarted ? `${what}${when}.` : what;
}

/** The end of an agent's output as lines for an error message; empty when there was none. */
export function describeOutput({ stderr, junk }: AgentExit): string {
  const printed = junk === "" ? "" : `On stdout, instead of messages:\n${junk}`;
  return stripVTControlCharacters([stderr, printed].filter((part) => part !== "").join("\n"));
}

/** Keeps the end of a text of any length. */
export class TextTail {
  #text = "";

  add(text: string): void {
    // Truncated before it is joined, so that a flood costs only what is kept of it.
    this.#text = (this.#text + text.slice(-maxTailCharacters)).slice(-maxTailCharacters);
  }

  get text(): string {
    return this.#text.trim();
  }
}
