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

const same: Style = (text) => text;
const style =
  (on: number, off: number): Style =>
  (text) =>
    text === "" ? "" : `\x1b[${on}m${text}\x1b[${off}m`;

export const plain: Paint = { bold: same, dim: same, red: same, green: same, yellow: same, cyan: same };

export const coloured: Paint = {
  bold: style(1, 22),
  dim: style(2, 22),
  red: style(31, 39),
  green: style(32, 39),
  yellow: style(33, 39),
  cyan: style(36, 39),
};
