// A web page as Markdown that a model can read: headings, paragraphs, lists, links, code, quotes, tables; no scripts, no styles.
import { type HtmlToken, htmlTokens } from "./html-tokens.ts";
import { MarkdownWriter } from "./markdown-writer.ts";

/** What is not for reading. */
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

export interface MarkdownPage {
  readonly title: string;
  readonly markdown: string;
}

/** Links become absolute from `base`. */
export function htmlToMarkdown(html: string, base: string): MarkdownPage {
  const writer = new MarkdownWriter(base);
  let title: string | undefined;
  let inTitle = false;
  /** The element whose content is skipped, and how many of its name are open. */
  let skipped: { readonly name: string; depth: number } | undefined;
  for (const token of htmlTokens(html)) {
    if (skipped !== undefined) {
      if (token.type === "open" && token.name === skipped.name) skipped.depth++;
      if (token.type === "close" && token.name === skipped.name && --skipped.depth === 0) skipped = undefined;
      continue;
    }
    if (token.type !== "text" && token.name === "title") inTitle = token.type === "open";
    else if (inTitle && token.type === "text") title ??= token.text.replace(/\s+/g, " ").trim();
    else if (token.type === "open" && unseen.has(token.name)) skipped = { name: token.name, depth: 1 };
    else write(writer, token);
  }
  return { title: title ?? "", markdown: writer.finish() };
}

function write(writer: MarkdownWriter, token: HtmlToken): void {
  if (token.type === "text") {
    writer.text(token.text);
    return;
  }
  const { name } = token;
  const mark = Object.hasOwn(emphasis, name) ? emphasis[name] : undefined;
  const level = /^h([1-6])$/.exec(name)?.[1];
  if (mark !== undefined) writer.mark(mark, token.type);
  else if (level !== undefined) writer.heading(Number(level), token.type);
  else if (blocks.has(name)) writer.block();
  else if (token.type === "open") open(writer, name, token.attributes);
  else close(writer, name);
}

function open(writer: MarkdownWriter, name: string, attributes: ReadonlyMap<string, string>): void {
  switch (name) {
    case "br":
      writer.lineBreak();
      break;
    case "hr":
      writer.rule();
      break;
    case "a":
      writer.openLink(attributes.get("href") ?? "");
      break;
    case "img":
      writer.image(attributes.get("src") ?? "", attributes.get("alt") ?? "");
      break;
    case "code":
    case "kbd":
    case "samp":
      writer.openCode(attributes.get("class") ?? "");
      break;
    case "pre":
      writer.openFence(attributes.get("class") ?? "");
      break;
    case "blockquote":
      writer.openQuote();
      break;
    case "ul":
    case "menu":
      writer.openList(undefined);
      break;
    case "ol":
      writer.openList(Number.parseInt(attributes.get("start") ?? "1", 10) || 1);
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
