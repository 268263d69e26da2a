// HTML as tokens, the way a browser forgives it: never fails, and takes time only by the length of the text.
import { decodeEntities } from "./html-entities.ts";

export type HtmlToken =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "open"; readonly name: string; readonly attributes: ReadonlyMap<string, string> }
  | { readonly type: "close"; readonly name: string };

/** Their content is no markup: it ends at their own end tag only. */
const rawText: ReadonlySet<string> = new Set(["script", "style", "textarea", "title", "iframe", "noembed", "xmp"]);

export function* htmlTokens(html: string): Generator<HtmlToken> {
  const ends = new TagEnds(html);
  let position = 0;
  while (position < html.length) {
    const open = html.indexOf("<", position);
    if (open === -1) break;
    if (open > position) yield textToken(html.slice(position, open));
    if (html.startsWith("<!--", open)) {
      const end = html.indexOf("-->", open + 4);
      position = end === -1 ? html.length : end + 3;
      continue;
    }
    const isTag = /[a-z/!?]/i.test(html[open + 1] ?? "");
    const end = isTag ? ends.after(open + 1) : -1;
    if (end === -1) {
      yield textToken("<");
      position = open + 1;
      continue;
    }
    position = end + 1;
    const tag = html.slice(open + 1, end);
    const name = /^\/?([a-z][^\s/>]*)/i.exec(tag)?.[1]?.toLowerCase();
    if (name === undefined) continue; // a doctype, a processing instruction
    if (tag.startsWith("/")) {
      yield { type: "close", name };
      continue;
    }
    yield { type: "open", name, attributes: attributesOf(tag.slice(name.length)) };
    if (rawText.has(name)) {
      const close = new RegExp(`</${name}[\\s/>]`, "gi");
      close.lastIndex = position;
      const stop = close.exec(html)?.index ?? html.length;
      yield textToken(html.slice(position, stop));
      position = stop;
    }
  }
  if (position < html.length) yield textToken(html.slice(position));
}

function textToken(text: string): HtmlToken {
  return { type: "text", text: decodeEntities(text) };
}

/** Finds where tags end. What is not to be found any more is not looked for again: that keeps hostile pages from being slow. */
class TagEnds {
  readonly #html: string;
  readonly #gone = new Set<string>();

  constructor(html: string) {
    this.#html = html;
  }

  /** The `>` of the tag that is open here; a quoted attribute may hold one. -1 when there is none. */
  after(position: number): number {
    for (let index = position; ; index++) {
      const letter = this.#html[index];
      if (letter === undefined) return -1;
      if (letter === ">") return index;
      if ((letter === '"' || letter === "'") && this.#html[index - 1] === "=") {
        const close = this.#find(letter, index + 1);
        if (close !== -1) index = close;
      }
      if (letter === "<" && this.#find(">", index) === -1) return -1;
    }
  }

  #find(sign: string, from: number): number {
    if (this.#gone.has(sign)) return -1;
    const found = this.#html.indexOf(sign, from);
    if (found === -1) this.#gone.add(sign);
    return found;
  }
}

const wantedAttributes: ReadonlySet<string> = new Set(["href", "src", "alt", "class", "title", "start", "hidden"]);

function attributesOf(text: string): ReadonlyMap<string, string> {
  const attributes = new Map<string, string>();
  for (const [, name = "", double, single, bare] of text.matchAll(
    /([^\s=/"'<>]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?/g,
  )) {
    const key = name.toLowerCase();
    if (wantedAttributes.has(key) && !attributes.has(key)) {
      attributes.set(key, decodeEntities(double ?? single ?? bare ?? ""));
    }
  }
  return attributes;
}
