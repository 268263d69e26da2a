// Parses terminal output into lines of styled pieces. Colours and weights are kept, a carriage return overwrites; other escape sequences
// (titles, links, cursor moves, clear screen) are ignored. The result is plain data, never markup.

/** A colour is an index from 0 to 255, or "r g b". */
export interface AnsiStyle {
  readonly color?: number | string;
  readonly background?: number | string;
  readonly bold?: boolean;
  readonly dim?: boolean;
  readonly italic?: boolean;
  readonly underline?: boolean;
  readonly inverse?: boolean;
}

interface AnsiPiece {
  readonly text: string;
  readonly style: AnsiStyle;
}

export type AnsiLine = readonly AnsiPiece[];

const plain: AnsiStyle = {};
// CSI (with its parameters and final byte), OSC and other strings up to their end or the end of the text, then two-byte escapes.
const escapes =
  // oxlint-disable-next-line no-control-regex -- escape sequences are made of control characters
  /\u001b\[([0-?]*)[ -/]*([@-~])|\u009b([0-?]*)[ -/]*([@-~])|(?:\u001b[\]PX^_]|[\u0090\u009d\u0098\u009e\u009f])[^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)?|\u001b[ -/]*[0-~]?|[\u0000-\u0008\u000b-\u001f\u007f-\u009f]|\n/g;

export function parseAnsi(text: string): readonly AnsiLine[] {
  const screen = new Screen();
  let style = plain;
  let from = 0;
  for (const match of text.matchAll(escapes)) {
    screen.print(text.slice(from, match.index), style);
    from = match.index + match[0].length;
    const [whole, parameters = match[3], final = match[4]] = match;
    if (whole === "\n") screen.newLine();
    else if (whole === "\r") screen.toLineStart();
    else if (whole === "\b") screen.back();
    else if (final === "m") style = applySgr(style, parameters ?? "");
    else if (final === "K") screen.eraseLine(parameters ?? "");
  }
  screen.print(text.slice(from), style);
  return screen.lines;
}

class Screen {
  readonly lines: AnsiPiece[][] = [[]];
  /** Where the next character goes in the last line; the end unless a carriage return or backspace moved it. */
  #column = 0;
  #length = 0;

  print(text: string, style: AnsiStyle): void {
    if (text === "") return;
    const line = this.#line();
    if (this.#column < this.#length) {
      const before = slicePieces(line, 0, this.#column);
      const after = slicePieces(line, this.#column + text.length, this.#length);
      line.splice(0, line.length, ...before, { text, style }, ...after);
    } else {
      const last = line.at(-1);
      if (last !== undefined && last.style === style) line[line.length - 1] = { text: last.text + text, style };
      else line.push({ text, style });
    }
    this.#column += text.length;
    this.#length = Math.max(this.#length, this.#column);
  }

  newLine(): void {
    this.lines.push([]);
    this.#column = 0;
    this.#length = 0;
  }

  toLineStart(): void {
    this.#column = 0;
  }

  back(): void {
    this.#column = Math.max(0, this.#column - 1);
  }

  eraseLine(parameters: string): void {
    const line = this.#line();
    const kept = parameters === "1" || parameters === "2" ? [] : slicePieces(line, 0, this.#column);
    line.splice(0, line.length, ...kept);
    this.#length = parameters === "1" || parameters === "2" ? 0 : Math.min(this.#length, this.#column);
    this.#column = Math.min(this.#column, this.#length);
  }

  #line(): AnsiPiece[] {
    const line = this.lines.at(-1);
    if (line === undefined) throw new Error("a screen has at least one line");
    return line;
  }
}

function slicePieces(line: readonly AnsiPiece[], from: number, to: number): AnsiPiece[] {
  const pieces: AnsiPiece[] = [];
  let at = 0;
  for (const { text, style } of line) {
    const part = text.slice(Math.max(0, from - at), Math.max(0, to - at));
    if (part !== "") pieces.push({ text: part, style });
    at += text.length;
  }
  return pieces;
}

/** Select Graphic Rendition: each number switches a style on or off. */
function applySgr(before: AnsiStyle, parameters: string): AnsiStyle {
  const codes = parameters.split(/[;:]/).map((code) => (code === "" ? 0 : Number(code)));
  let style = before;
  for (let index = 0; index < codes.length; index++) {
    const code = codes[index] ?? 0;
    if (code === 38 || code === 48) {
      const { color, used } = extendedColor(codes.slice(index + 1));
      index += used;
      if (color !== undefined) style = code === 38 ? { ...style, color } : { ...style, background: color };
    } else style = applyCode(style, code);
  }
  return style;
}

function applyCode(style: AnsiStyle, code: number): AnsiStyle {
  if (code === 0) return plain;
  if (code === 1) return { ...style, bold: true };
  if (code === 2) return { ...style, dim: true };
  if (code === 3) return { ...style, italic: true };
  if (code === 4) return { ...style, underline: true };
  if (code === 7) return { ...style, inverse: true };
  if (code === 22) return { ...style, bold: false, dim: false };
  if (code === 23) return { ...style, italic: false };
  if (code === 24) return { ...style, underline: false };
  if (code === 27) return { ...style, inverse: false };
  if (code >= 30 && code <= 37) return { ...style, color: code - 30 };
  if (code === 39) return without(style, "color");
  if (code >= 40 && code <= 47) return { ...style, background: code - 40 };
  if (code === 49) return without(style, "background");
  if (code >= 90 && code <= 97) return { ...style, color: code - 82 };
  if (code >= 100 && code <= 107) return { ...style, background: code - 92 };
  return style;
}

function extendedColor(codes: readonly number[]): { color?: number | string; used: number } {
  const [type, first = 0, second = 0, third = 0] = codes;
  if (type === 5) return isByte(first) ? { color: first, used: 2 } : { used: 2 };
  if (type === 2) {
    return [first, second, third].every(isByte) ? { color: `${first} ${second} ${third}`, used: 4 } : { used: 4 };
  }
  return { used: codes.length };
}

const isByte = (value: number) => Number.isInteger(value) && value >= 0 && value <= 255;

function without(style: AnsiStyle, name: "color" | "background"): AnsiStyle {
  const { [name]: _, ...rest } = style;
  return rest;
}
