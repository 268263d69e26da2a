// Makes plain text of a command's output: without colours and cursor movements, and of a line that was written again and again, as progress
// bars do, only its last state.
import { stripVTControlCharacters } from "node:util";

export function plainOutput(text: string): string {
  return stripVTControlCharacters(text)
    .replaceAll("\r\n", "\n")
    .replace(/[^\r\n]*\r(?=[^\n])/g, "")
    .replaceAll("\r", "");
}
