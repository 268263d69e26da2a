// The title of a tool call; text in backticks is code.
import { titlePieces } from "../../text/title-pieces.ts";

export function CallTitle({ title }: { title: string }) {
  return (
    <span className="title" dir="auto" title={title}>
      {titlePieces(title).map((piece, index) =>
        piece.code ? <code key={index}>{piece.text}</code> : <span key={index}>{piece.text}</span>,
      )}
    </span>
  );
}
