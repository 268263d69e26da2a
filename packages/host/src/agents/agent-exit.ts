// Describes how an agent's process ended, with the end of what it printed.
import { stripVTControlCharacters } from "node:util";

const maxTailCharacters = 4000;

/** How the process ended. */
export interface AgentExit {
  /** For a person: "exited with code 1", "was ended by SIGKILL", "could not be started: …". */
  readonly what: string;
  /** False when there never was a process; then `what` ends with what to do about it. */
  readonly wasStarted: boolean;
  /** The end of what it wrote to stderr. */
  readonly stderr: string;
  /** The end of what it wrote to stdout that was no message. */
  readonly junk: string;
}

/** The rest of a sentence that begins with the agent's name. For one that never started, why and what to do are all there is to say. */
export function endingOf({ what, wasStarted }: AgentExit, when = ""): string {
  return wasStarted ? `${what}${when}.` : what;
}

/** The ends of what an agent printed, as lines for an error message; empty when it printed nothing. */
export function tailOf({ stderr, junk }: AgentExit): string {
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
