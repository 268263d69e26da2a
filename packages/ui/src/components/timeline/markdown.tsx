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
  const { blocks, definitions } = useMemo(() => splitMarkdown(text), [text]);
  return (
    <div className="markdown" dir="auto">
      {blocks.map((block, index) => (
        <Block key={index} text={block} definitions={definitions} />
      ))}
    </div>
  );
});

const Block = memo(function Block({ text, definitions }: { text: string; definitions: string }) {
  // Chosen once: changing the component would mount the block again.
  const [Rendered] = useState(() => loadedMarkdown() ?? WhenLoaded);
  if (text.length > maxBlockLength) return <LongText text={text} className="plain" />;
  const source = definitions !== "" && text.includes("[") ? `${text}\n\n${definitions}` : text;
  const plain = <p className="plain">{text}</p>;
  return (
    <ErrorBoundary fallback={() => plain}>
      <Suspense fallback={plain}>
        <Rendered text={source} />
      </Suspense>
    </ErrorBoundary>
  );
});
