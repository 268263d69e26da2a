// Makes plain text of a command's output: without colours and cursor movements, and of a line that was written again and again, as progress
// bars do, only its last state.
import { stripVTControlCharacters } from "node:util";

export function plainOutput(text: string): string {
  const plain = text.includes("\u001b") ? stripVTControlCharacters(text) : text;
  return plain.includes("\r") ? plain.split("\n").map(lastState).join("\n") : plain;
}

function lastState(line: string): string {
  const shown = line.endsWith("\r") ? line.slice(0, -1) : line;
  return shown.slice(shown.lastIndexOf("\r") + 1);
}
