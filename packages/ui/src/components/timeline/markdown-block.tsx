// Renders one block of Markdown without raw HTML. Links open in a new tab and send no referrer.
import { memo, type ReactElement } from "react";
import ReactMarkdown, { type Components } from "react-markdown";
import remarkGfm from "remark-gfm";
import { CodeBlock } from "../shared/code-block.tsx";

const plugins = [remarkGfm];

const components: Components = {
  a: ({ href, children }) =>
    // The sanitizer empties unsafe addresses (javascript:, data: …): those become plain text.
    href === undefined || href === "" ? (
      <span>{children}</span>
    ) : (
      <a href={href} target="_blank" rel="noreferrer noopener">
        {children}
      </a>
    ),
  // Loading a remote picture would tell its server that this page was opened: show a link instead.
  img: ({ src, alt }) => (
    <a href={typeof src === "string" ? src : undefined} target="_blank" rel="noreferrer noopener">
      {alt === "" || alt === undefined ? "image" : alt}
    </a>
  ),
  table: ({ children }) => (
    <div className="wide" tabIndex={0} role="region" aria-label="Table">
      <table>{children}</table>
    </div>
  ),
  pre: ({ children }) => {
    const { className, children: code } = (children as ReactElement<{ className?: string; children?: string }>).props;
    return <CodeBlock code={(code ?? "").replace(/\n$/, "")} language={className?.replace(/^language-/, "")} />;
  },
};

export default memo(function MarkdownBlock({ text }: { text: string }) {
  return (
    <ReactMarkdown remarkPlugins={plugins} components={components}>
      {text}
    </ReactMarkdown>
  );
});
