// Converts a web page to Markdown that a model can read: headings, paragraphs, lists, links, code, quotes, tables; no scripts, no styles.
import { Parser } from "htmlparser2";
import { MarkdownWriter } from "./markdown-writer.ts";

/** Elements without readable content. */
const unseen: ReadonlySet<string> = new Set([
  "script",
  "style",
  "noscript",
  "template",
  "svg",
  "math",
  "iframe",
  "object",
  "canvas",
  "textarea",
  "select",
  "button",
  "dialog",
]);

/** Elements that stand on lines of their own. */
const blocks: ReadonlySet<string> = new Set([
  ..."address article aside body center details div dl dd dt fieldset figcaption figure footer form header".split(" "),
  ..."html legend main nav p section summary".split(" "),
]);

const emphasis: Readonly<Record<string, string>> = { b: "**", strong: "**", i: "*", em: "*", del: "~~", s: "~~" };

interface MarkdownPage {
  readonly title: string;
  readonly markdown: string;
}

/** The parser's cost grows with the number of open elements. Browsers stop at 512. */
const maxOpenElements = 2000;
const pieceLength = 10_000;

/** Links become absolute from `base`. The time it takes grows with the length of the page, whatever is in it. */
export function htmlToMarkdown(html: string, base: string): MarkdownPage {
  const reader = new PageReader(base);
  const parser = new Parser({
    onopentag: (name, attributes) => reader.open(name, attributes),
    ontext: (text) => reader.text(text),
    onclosetag: (name) => reader.close(name),
  });
  for (let at = 0; at < html.length && reader.openElements <= maxOpenElements; at += pieceLength) {
    parser.write(html.slice(at, at + pieceLength));
  }
  const isWhole = reader.openElements <= maxOpenElements;
  if (isWhole) parser.end();
  return reader.finish(isWhole);
}

type Attributes = Readonly<Record<string, string>>;

class PageReader {
  readonly #writer: MarkdownWriter;
  #openElements = 0;
  #title: string | undefined;
  #isInTitle = false;
  /** The element whose content is skipped, and how many of its name are open. */
  #skipped: { readonly name: string; depth: number } | undefined;

  constructor(base: string) {
    this.#writer = new MarkdownWriter(base);
  }

  get openElements(): number {
    return this.#openElements;
  }

  open(name: string, attributes: Attributes): void {
    this.#openElements++;
    if (this.#skipped !== undefined) {
      if (name === this.#skipped.name) this.#skipped.depth++;
    } else if (name === "title" && this.#title === undefined) {
      this.#title = "";
      this.#isInTitle = true;
    } else if (name === "title" || unseen.has(name)) this.#skipped = { name, depth: 1 };
    else write(this.#writer, name, attributes);
  }

  text(text: string): void {
    if (this.#skipped !== undefined) return;
    if (this.#isInTitle) this.#title += text;
    else this.#writer.text(text);
  }

  close(name: string): void {
    this.#openElements--;
    if (this.#skipped !== undefined) {
      if (name === this.#skipped.name && --this.#skipped.depth === 0) this.#skipped = undefined;
    } else if (name === "title") this.#isInTitle = false;
    else write(this.#writer, name, undefined);
  }

  finish(isWhole: boolean): MarkdownPage {
    const markdown = this.#writer.finish();
    return {
      title: (this.#title ?? "").replace(/\s+/g, " ").trim(),
      markdown: isWhole ? markdown : `${markdown}\n\n[The rest of the page is left out: it is nested too deeply.]`,
    };
  }
}

/** An element that begins, or ends where it has no attributes. */
function write(writer: MarkdownWriter, name: string, attributes: Attributes | undefined): void {
  const type = attributes === undefined ? "close" : "open";
  const mark = Object.hasOwn(emphasis, name) ? emphasis[name] : undefined;
  const level = /^h([1-6])$/.exec(name)?.[1];
  if (mark !== undefined) writer.mark(mark, type);
  else if (level !== undefined) writer.heading(Number(level), type);
  else if (blocks.has(name)) writer.block();
  else if (attributes !== undefined) open(writer, name, attributes);
  else close(writer, name);
}

function open(writer: MarkdownWriter, name: string, attributes: Attributes): void {
  switch (name) {
    case "br":
      writer.lineBreak();
      break;
    case "hr":
      writer.rule();
      break;
    case "a":
      writer.openLink(attributes.href ?? "");
      break;
    case "img":
      writer.image(attributes.src ?? "", attributes.alt ?? "");
      break;
    case "code":
    case "kbd":
    case "samp":
      writer.openCode(attributes.class ?? "");
      break;
    case "pre":
      writer.openFence(attributes.class ?? "");
      break;
    case "blockquote":
      writer.openQuote();
      break;
    case "ul":
    case "menu":
      writer.openList(undefined);
      break;
    case "ol":
      writer.openList(Number.parseInt(attributes.start ?? "1", 10) || 1);
      break;
    case "li":
      writer.item();
      break;
    case "table":
      writer.openTable();
      break;
    case "tr":
      writer.row();
      break;
    case "td":
    case "th":
      writer.cell();
      break;
    default:
      break;
  }
}

function close(writer: MarkdownWriter, name: string): void {
  switch (name) {
    case "a":
      writer.closeLink();
      break;
    case "code":
    case "kbd":
    case "samp":
      writer.closeCode();
      break;
    case "pre":
      writer.closeFence();
      break;
    case "blockquote":
      writer.closeQuote();
      break;
    case "ul":
    case "menu":
    case "ol":
      writer.closeList();
      break;
    case "table":
      writer.closeTable();
      break;
    default:
      break;
  }
}
