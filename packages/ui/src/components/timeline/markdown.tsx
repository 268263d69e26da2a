// Shows text as Markdown. Until the renderer is loaded, the text is shown as it is. Streaming text is parsed block by block, so that each
// frame parses only the last block.
import { lazy, memo, Suspense, useMemo, useState } from "react";
import { splitMarkdown } from "../../text/markdown-blocks.ts";
import { ErrorBoundary } from "../shared/error-boundary.tsx";
import { LongText } from "../shared/long-text.tsx";
import { loadedMarkdown, loadMarkdown } from "./load-markdown.ts";

const WhenLoaded = lazy(loadMarkdown);
/** Parsing a longer block would block the page, so it is shown as plain text. */
const maxBlockLength = 20_000;

export const Markdown = memo(function Markdown({ text }: { text: string }) {
  const { blocks, definitions, footnotes } = useMemo(() => splitMarkdown(text), [text]);
  // A reference is read as one only beside its note. The notes themselves stand below.
  const notes = footnotes.map(({ label }) => `[^${label}]: .`);
  const known = [...notes, ...(definitions === "" ? [] : [definitions])].join("\n");
  return (
    <div className="markdown" dir="auto">
      {blocks.map((block, index) => (
        <Block key={index} text={block} definitions={known} />
      ))}
      {footnotes.length > 0 && (
        <ul className="footnotes" aria-label="Footnotes">
          {footnotes.map((note) => (
            <li key={note.label.toLowerCase()} data-footnote={note.label.toLowerCase()} tabIndex={-1}>
              <span className="footnote-label">{note.label}</span>
              <div>
                <Block text={note.text} definitions={known} />
              </div>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
});

const Block = memo(function Block({ text, definitions }: { text: string; definitions: string }) {
  // Chosen once: changing the component would mount the block again.
  const [Rendered] = useState(() => loadedMarkdown() ?? WhenLoaded);
  if (text.length > maxBlockLength) return <LongText text={text} className="plain" />;
  // Before the text, not after it: a fence that is still open would show them. Text that begins with a blank would continue a note.
  const needsThem = definitions !== "" && text.includes("[") && !/^\s/.test(text);
  const source = needsThem ? `${definitions}\n\n${text}` : text;
  const plain = <p className="plain">{text}</p>;
  return (
    <ErrorBoundary fallback={() => plain}>
      <Suspense fallback={plain}>
        <Rendered text={source} />
      </Suspense>
    </ErrorBoundary>
  );
});
