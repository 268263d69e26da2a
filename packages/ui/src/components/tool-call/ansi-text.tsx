// Shows terminal text with its colours as plain spans. Very long lines and very long output are truncated, with a button for the rest.

import { count } from "@signalbox/protocol/sizes";
import { memo, useMemo, useState } from "react";
import { type AnsiLine, type AnsiStyle, parseAnsi } from "../../text/ansi.ts";

const firstLines = 400;
const maxLineLength = 4000;

export const AnsiText = memo(function AnsiText({ text }: { text: string }) {
  const lines = useMemo(() => parseAnsi(text), [text]);
  const [maxLines, setMaxLines] = useState(firstLines);
  const hidden = Math.max(0, lines.length - maxLines);
  return (
    <code>
      {hidden > 0 && (
        <button type="button" className="more" onClick={() => setMaxLines(maxLines * 5)}>
          Show more ({count(hidden)} lines above)
        </button>
      )}
      {lines.slice(-maxLines).map((line, index) => (
        <Line key={index + hidden} line={line} />
      ))}
    </code>
  );
});

const Line = memo(function Line({ line }: { line: AnsiLine }) {
  const [isWhole, setWhole] = useState(false);
  const length = line.reduce((sum, piece) => sum + piece.text.length, 0);
  if (length > maxLineLength && !isWhole) {
    return (
      <>
        {line
          .map((piece) => piece.text)
          .join("")
          .slice(0, maxLineLength)}
        <button type="button" className="more" onClick={() => setWhole(true)}>
          … show {count(length - maxLineLength)} more characters of this line
        </button>
        {"\n"}
      </>
    );
  }
  return (
    <>
      {line.map((piece, index) => (
        <span key={index} className={listClasses(piece.style)} style={chooseColors(piece.style)}>
          {piece.text}
        </span>
      ))}
      {"\n"}
    </>
  );
});

function listClasses(style: AnsiStyle): string | undefined {
  const { color, background } = style.inverse === true ? swapped(style) : style;
  const names = [
    typeof color === "number" && color < 16 ? `ansi-${color}` : "",
    typeof background === "number" && background < 16 ? `ansi-on-${background}` : "",
    style.bold === true ? "bold" : "",
    style.dim === true ? "dim" : "",
    style.italic === true ? "italic" : "",
    style.underline === true ? "underline" : "",
    style.inverse === true && color === undefined ? "inverse" : "",
  ].filter((name) => name !== "");
  return names.length === 0 ? undefined : names.join(" ");
}

function chooseColors(style: AnsiStyle) {
  const { color, background } = style.inverse === true ? swapped(style) : style;
  const found = { color: cssColor(color), backgroundColor: cssColor(background) };
  return found.color === undefined && found.backgroundColor === undefined ? undefined : found;
}

function swapped({ color, background }: AnsiStyle): AnsiStyle {
  return {
    ...(background === undefined ? {} : { color: background }),
    ...(color === undefined ? {} : { background: color }),
  };
}

/** The first 16 colours are CSS classes; then come a cube of 216 colours and 24 greys. */
function cssColor(color: number | string | undefined): string | undefined {
  if (typeof color === "string") return `rgb(${color})`;
  if (color === undefined || color < 16) return undefined;
  if (color >= 232) return `rgb(${Array.from({ length: 3 }, () => 8 + (color - 232) * 10).join(" ")})`;
  const cube = color - 16;
  return `rgb(${[Math.floor(cube / 36), Math.floor(cube / 6) % 6, cube % 6].map((part) => (part === 0 ? 0 : 55 + part * 40)).join(" ")})`;
}
