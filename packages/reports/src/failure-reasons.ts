// Explains in one line why a tool call failed: how its command ended and the last line that it printed, or else the tool's own text.
import {
  commandEnding,
  type TerminalEnded,
  type TerminalOutput,
  type ToolCallContent,
  type ToolCallRow,
} from "@signalbox/protocol";
import { cleanLine, cleanText } from "./clean-text.ts";
import { readToolCallPieces } from "./content-pieces.ts";
import { fit } from "./text-width.ts";

/** Enough for a last line. */
const maxKeptLength = 4_000;
const maxReasonLength = 300;

interface FailedCall extends Pick<ToolCallRow, "kind"> {
  readonly content: readonly ToolCallContent[];
}

export class FailureReasons {
  readonly #lastOutput = new Map<string, string>();
  readonly #endings = new Map<string, string>();

  addOutput({ terminal_id, text }: TerminalOutput): void {
    const kept = `${this.#lastOutput.get(terminal_id) ?? ""}${text}`;
    this.#lastOutput.set(terminal_id, kept.slice(-maxKeptLength));
  }

  endTerminal(terminal: TerminalEnded): void {
    this.#endings.set(terminal.terminal_id, commandEnding(terminal));
  }

  /** Returns undefined if the agent gave no reason. */
  explain({ kind, content }: FailedCall): string | undefined {
    const said = readToolCallPieces({ content })
      .flatMap((piece) => (piece.type === "text" ? [piece.text] : []))
      .join("\n");
    // A command that prints much usually says at the end what went wrong.
    const isOutput = kind === "execute" && said.length > maxReasonLength;
    const reason = this.#explainCommand(content) ?? (isOutput ? readLastLine(said) : cleanLine(said));
    return reason === "" ? undefined : fit(reason, maxReasonLength);
  }

  #explainCommand(content: readonly ToolCallContent[]): string | undefined {
    const shown = content.findLast(({ type }) => type === "terminal");
    const id = shown !== undefined && "terminalId" in shown ? shown.terminalId : undefined;
    const ending = typeof id === "string" ? this.#endings.get(id) : undefined;
    if (typeof id !== "string" || ending === undefined) return undefined;
    const line = readLastLine(this.#lastOutput.get(id) ?? "");
    return line === "" ? ending : `${ending}: ${line}`;
  }
}

function readLastLine(text: string): string {
  return cleanLine(cleanText(text).trimEnd().split("\n").at(-1) ?? "");
}
