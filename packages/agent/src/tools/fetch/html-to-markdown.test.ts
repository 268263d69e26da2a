import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { processorTime } from "../../../../../test/support/processor-time.ts";
import { htmlToMarkdown } from "./html-to-markdown.ts";

// A busy machine takes its time for pages of megabytes.
vi.setConfig({ testTimeout: 30_000 });

const markdown = (html: string) => htmlToMarkdown(html, "https://example.org/docs/page.html").markdown;

describe("a page as Markdown", () => {
  it("keeps headings, paragraphs, emphasis and line breaks", () => {
    expect(markdown("<h1>Big <b>news</b></h1><p>One <em>small</em>\n  <b>step</b>.<br>Next line<p>Two")).toBe(
      "# Big news\n\nOne *small* **step**.\nNext line\n\nTwo",
    );
  });

  it("makes links absolute and drops those that are no links", () => {
    expect(markdown('<a href="../a b.html">A</a> <a href="javascript:alert(1)">B</a> <a href="#x"></a>')).toBe(
      "[A](https://example.org/a%20b.html) B",
    );
  });

  it("nests lists and counts numbered ones", () => {
    expect(markdown("<p>x<ul><li>a<ul><li>b</ul></li><li>c</ul><ol start=3><li>d<li>e</ol>")).toBe(
      "x\n- a\n  - b\n- c\n3. d\n4. e",
    );
  });

  it("keeps code as it is written, with its language", () => {
    expect(
      markdown('<pre><code class="language-ts">if (a &lt; b) {\n  c();\n}</code></pre><p>use <code>x</code>'),
    ).toBe("```ts\nif (a < b) {\n  c();\n}\n```\n\nuse `x`");
  });

  it("fences code that holds a fence", () => {
    expect(markdown("<pre>```\na\n```</pre>")).toBe("````\n```\na\n```\n````");
  });

  it("writes tables and quotes", () => {
    expect(markdown("<table><thead><tr><th>a<th>b</tr></thead><tr><td>1|2</td><td><p>x</p>y</td></tr></table>")).toBe(
      "| a | b |\n| --- | --- |\n| 1\\|2 | x y |",
    );
    expect(markdown("<blockquote><p>one<p>two</blockquote>")).toBe("> one\n\n> two");
  });

  it("leaves out what is not for reading, and takes the first title", () => {
    const page = htmlToMarkdown(
      "<html><head><title> The\n title &amp; more</title><style>p { x }</style></head><body><script>if (a < b) '</p>'</script><svg><text>no</text></svg><title>second</title>yes<!-- no --></body>",
      "https://example.org/",
    );
    expect(page).toEqual({ title: "The title & more", markdown: "yes" });
  });

  it("decodes character references", () => {
    expect(markdown("&lt;&#x41;&#66;&nbsp;&hellip;&unknown;&#0;&constructor;")).toBe(
      "<AB …&unknown;\uFFFD&constructor;",
    );
  });

  it("takes a lone < for what it is", () => {
    expect(markdown("a < b and 3 <4")).toBe("a < b and 3 <4");
  });

  it("survives anything", () => {
    const piece = fc.constantFrom(
      "<",
      ">",
      "</",
      "<a href='",
      '"',
      "'",
      "=",
      "<table>",
      "<td>",
      "</table>",
      "<pre>",
      "</pre>",
    );
    const more = fc.constantFrom(
      "<li>",
      "</ul>",
      "<b>",
      "</b>",
      "</a>",
      "<h1>",
      "</h1>",
      "<!--",
      "-->",
      "x",
      " ",
      "&#",
      "<script>",
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(piece, more, fc.string())), (pieces) => {
        expect(typeof markdown(pieces.join(""))).toBe("string");
      }),
    );
  });

  it("stops where elements are nested too deeply, and says so", () => {
    expect(markdown(`<p>before${"<div>".repeat(30_000)}after`)).toBe(
      "before\n\n[The rest of the page is left out: it is nested too deeply.]",
    );
  });

  it.each([
    ["tags that never end", '<a href="'.repeat(200_000)],
    ["quotes that never end", "<a b='>".repeat(200_000)],
    ["lone brackets", "<".repeat(1_000_000)],
    ["deep nesting", "<div><ul><li><blockquote><table><tr><td>".repeat(30_000)],
    ["many marks", "<b>x</b> <i> y </i>".repeat(50_000)],
    ["many links", "<a href=x>y</a>".repeat(50_000)],
    ["many line breaks", "x <br>".repeat(100_000)],
    ["marks without end", "<b>".repeat(200_000)],
    ["comments without end", "<!-- ".repeat(200_000)],
    ["links without end", "<a href=x>y".repeat(100_000)],
    ["raw text without end", "<title><style>".repeat(100_000)],
    ["elements without end", "<b>".repeat(50_000) + "</i>".repeat(50_000)],
    ["paragraphs without end", "<p>".repeat(300_000)],
    ["attributes", `<a ${Array.from({ length: 100_000 }, (_, index) => `a${index}=1`).join(" ")}>`],
    ["character references", "&amp;&#x41;&nope;&".repeat(100_000)],
    [
      "five megabytes",
      "<p>Some <b>bold</b> text with a <a href='/x'>link</a> and <code>code</code>.</p>".repeat(62_500),
    ],
  ])("does not hang on %s", (_name, html) => {
    const used = processorTime();
    markdown(html);
    expect(used()).toBeLessThan(10_000);
  });
});
