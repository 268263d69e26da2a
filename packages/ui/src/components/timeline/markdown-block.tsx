// Renders one block of Markdown without raw HTML. Links open in a new tab and send no referrer.
import { memo, type ReactElement } from "react";
import ReactMarkdown, { type Components, type ExtraProps, type Options } from "react-markdown";
import remarkGfm from "remark-gfm";
import { visible } from "../../text/visible.ts";
import { CodeBlock } from "../shared/code-block.tsx";
import { TextPathLink } from "../shared/path-link.tsx";

const plugins = [remarkGfm];

/** Shows direction marks in the texts of links. With them a link to `gpj.exe` can be drawn as `exe.jpg`. */
const linkPlugins = [
  () =>
    ({ children }: { children: readonly TextNode[] }) =>
      showLinkMarks(children, false),
];

type TextNode = NonNullable<ExtraProps["node"]>["children"][number] | { readonly type: "doctype" };

function showLinkMarks(nodes: readonly TextNode[], isInLink: boolean): void {
  for (const node of nodes) {
    if (node.type === "text" && isInLink) node.value = visible(node.value);
    if (node.type === "element") showLinkMarks(node.children, isInLink || node.tagName === "a");
  }
}

/** A reference has the label that the agent gave it. The notes stand below the whole text, not below each block. */
const footnotes: NonNullable<Options["remarkRehypeOptions"]> = {
  handlers: {
    footnoteReference: (_state, { label, identifier }: { label?: string | null; identifier: string }) => ({
      type: "element",
      tagName: "sup",
      properties: { dataReference: identifier },
      children: [{ type: "text", value: label ?? identifier }],
    }),
  },
};

/** Goes to a note below the same text. Addresses are the page's own, so a link inside the text would leave the thread. */
function goToNote(reference: HTMLElement, identifier: string): void {
  const notes = reference.closest(".markdown")?.querySelectorAll<HTMLElement>("[data-footnote]") ?? [];
  [...notes].find((note) => note.dataset.footnote === identifier)?.focus();
}

function decoded(address: string): string {
  try {
    return decodeURIComponent(address);
  } catch {
    return address;
  }
}

const components: Components = {
  a: ({ href, children }) => {
    // The sanitizer empties unsafe addresses (javascript:, data: …): those become plain text.
    if (href === undefined || href === "") return <span>{children}</span>;
    // An address without a scheme is meant as a file: on this page it would lead nowhere.
    if (!/^(?:[a-z][\w+.-]*:|\/\/)/i.test(href)) return <TextPathLink text={decoded(href)}>{children}</TextPathLink>;
    return (
      // Marks before the link must not turn it round either: `dir` isolates it.
      <a href={href} target="_blank" rel="noreferrer noopener" dir="auto">
        {children}
      </a>
    );
  },
  // Only inside a line: `pre` shows blocks.
  code: ({ children }) => {
    const code = <code>{children}</code>;
    return typeof children === "string" ? <TextPathLink text={children}>{code}</TextPathLink> : code;
  },
  // Loading a remote picture would tell its server that this page was opened: show a link instead.
  img: ({ src, alt }) => (
    <a href={typeof src === "string" ? src : undefined} target="_blank" rel="noreferrer noopener" dir="auto">
      {alt === "" || alt === undefined ? "image" : visible(alt)}
    </a>
  ),
  sup: ({ node, children }) => {
    const reference = node?.properties.dataReference;
    if (typeof reference !== "string") return <sup>{children}</sup>;
    return (
      <sup>
        <button
          type="button"
          className="footnote-reference"
          aria-label={`Footnote ${reference}`}
          onClick={(event) => goToNote(event.currentTarget, reference)}
        >
          {children}
        </button>
      </sup>
    );
  },
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
  return parsed.get(text) ?? parse(text);
});

/** Blocks that were parsed, the newest last. A person who scrolls sees the same ones again, and parsing them is a third of that work. */
const parsed = new Map<string, ReactElement>();
const maxParsed = 400;
/** A longer block is rare, and its parts take much memory. */
const maxKeptLength = 2000;

function parse(text: string): ReactElement {
  // Called as a function: as a component it would parse at each mount. It uses no hooks.
  const element = ReactMarkdown({
    children: text,
    remarkPlugins: plugins,
    remarkRehypeOptions: footnotes,
    rehypePlugins: linkPlugins,
    components,
  });
  if (text.length <= maxKeptLength) parsed.set(text, element);
  const [oldest] = parsed.keys();
  if (parsed.size > maxParsed && oldest !== undefined) parsed.delete(oldest);
  return element;
}
