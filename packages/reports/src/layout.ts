// Describes how a report is formatted: width, colours and the current time. Only a terminal gets colours.

export type Style = (text: string) => string;

export type Paint = Readonly<Record<"bold" | "dim" | "red" | "green" | "yellow" | "cyan", Style>>;

export interface Layout {
  /** Only a terminal gets relative times ("3 min ago") and shortened ids. */
  readonly isTerminal: boolean;
  /** In columns; infinite for a file or a pipe. */
  readonly width: number;
  readonly paint: Paint;
  /** Milliseconds since 1970. */
  readonly now: number;
}

const keepText: Style = (text) => text;
const makeStyle =
  (on: number, off: number): Style =>
  (text) =>
    text === "" ? "" : `\x1b[${on}m${text}\x1b[${off}m`;

export const plain: Paint = {
  bold: keepText,
  dim: keepText,
  red: keepText,
  green: keepText,
  yellow: keepText,
  cyan: keepText,
};

export const coloured: Paint = {
  bold: makeStyle(1, 22),
  dim: makeStyle(2, 22),
  red: makeStyle(31, 39),
  green: makeStyle(32, 39),
  yellow: makeStyle(33, 39),
  cyan: makeStyle(36, 39),
};
