// Finds what a terminal printed since it was last read. A terminal gives all output that it keeps, each time; of long output only the end.
import type { TerminalOutput } from "../client/client-terminals.ts";

export interface NewOutput {
  readonly text: string;
  /** Output before this text was dropped and has never been read. */
  readonly hasGap: boolean;
}

export class OutputReader {
  #last = "";

  next({ output, truncated }: TerminalOutput): NewOutput {
    const last = this.#last;
    this.#last = output;
    if (output.startsWith(last)) return { text: output.slice(last.length), hasGap: truncated && last === "" };
    const known = measureOverlap(last, output);
    return { text: output.slice(known), hasGap: known === 0 };
  }
}

/** The length of the longest end of `last` that `output` begins with (Knuth, Morris and Pratt). */
function measureOverlap(last: string, output: string): number {
  const borders = new Int32Array(output.length);
  for (let i = 1, border = 0; i < output.length; i++) {
    while (border > 0 && output[i] !== output[border]) border = borders[border - 1] ?? 0;
    if (output[i] === output[border]) border++;
    borders[i] = border;
  }
  let matched = 0;
  for (const character of last.split("")) {
    if (matched === output.length) matched = borders[matched - 1] ?? 0;
    while (matched > 0 && output[matched] !== character) matched = borders[matched - 1] ?? 0;
    if (output[matched] === character) matched++;
  }
  return matched;
}
