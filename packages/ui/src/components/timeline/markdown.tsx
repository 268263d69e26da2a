// Text as Markdown. The renderer is loaded when the first text is shown; until then the text stands as it is. A text that streams in is
// parsed block by block, so that only its last block costs anything per frame.
import { lazy, memo, Suspense, useMemo, useState } from "react";
import { splitMarkdown } from "../../text/markdown-blocks.ts";
import { LongText } from "../shared/long-text.tsx";
import { Mishap } from "../shared/mishap.tsx";
import { loadedMarkdown, loadMarkdown } from "./load-markdown.ts";

const WhenLoaded = lazy(loadMarkdown);
/** A block longer than this is data, not prose: parsing it would stop the page. */
const longestBlock = 20_000;

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
  // Kept for the block's life: another component would be another block.
  const [Rendered] = useState(() => loadedMarkdown() ?? WhenLoaded);
  if (text.length > longestBlock) return <LongText text={text} className="plain" />;
  const source = definitions !== "" && text.includes("[") ? `${text}\n\n${definitions}` : text;
  const plain = <p className="plain">{text}</p>;
  return (
    <Mishap instead={() => plain}>
      <Suspense fallback={plain}>
        <Rendered text={source} />
      </Suspense>
    </Mishap>
  );
});
