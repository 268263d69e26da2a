// A small part of YAML, by indentation: maps, lists, texts with and without quotes, block texts (| and >), numbers, true, false, null,
// and [lists] and {maps} on one line. No anchors, tags, or several documents.

const deepest = 20;

interface Line {
  readonly number: number;
  readonly indent: number;
  readonly text: string;
}

/** `first` is the number of the first line, for errors. Maps have no prototype to fall for. */
export function parseYaml(lines: readonly string[], first = 1): unknown {
  const reader = new Reader(
    lines.map((line, index) => ({
      number: first + index,
      indent: line.length - line.trimStart().length,
      text: line.trim(),
    })),
    lines,
  );
  const start = reader.peek();
  if (start === undefined) return null;
  const value = readBlock(reader, start.indent, 0);
  const rest = reader.peek();
  if (rest !== undefined) throw problem(rest, "is indented in a way that does not fit");
  return value;
}

class Reader {
  readonly #lines: readonly Line[];
  readonly #raw: readonly string[];
  #at = 0;

  constructor(lines: readonly Line[], raw: readonly string[]) {
    this.#lines = lines;
    this.#raw = raw;
  }

  /** The next line that says something. */
  peek(): Line | undefined {
    while (this.#at < this.#lines.length && /^(?:#.*)?$/.test(this.#lines[this.#at]?.text ?? "")) this.#at++;
    const line = this.#lines[this.#at];
    if (line !== undefined && /^ *\t/.test(this.#raw[this.#at] ?? ""))
      throw problem(line, "is indented with a tab; use spaces");
    return line;
  }

  skip(): void {
    this.#at++;
  }

  /** All lines of a block text: empty ones and those further in than `indent`. */
  takeDeeper(indent: number): string[] {
    const taken: string[] = [];
    for (; this.#at < this.#lines.length; this.#at++) {
      const line = this.#lines[this.#at];
      if (line === undefined || (line.text !== "" && line.indent <= indent)) break;
      taken.push(this.#raw[this.#at] ?? "");
    }
    return taken;
  }
}

function readBlock(reader: Reader, indent: number, depth: number): unknown {
  const line = reader.peek();
  if (line === undefined) return null;
  if (depth > deepest) throw problem(line, "is nested too deeply");
  return isItem(line.text) ? readList(reader, indent, depth) : readMap(reader, indent, depth);
}

function readList(reader: Reader, indent: number, depth: number): unknown[] {
  const items: unknown[] = [];
  for (let line = reader.peek(); line?.indent === indent && isItem(line.text); line = reader.peek()) {
    const text = line.text.slice(1).trim();
    if (keyOf(text) !== undefined && !/^["'[{]/.test(text))
      throw problem(line, "holds a map in a list item, which is not supported here");
    reader.skip();
    items.push(readValue(reader, line, text, indent, depth));
  }
  return items;
}

function readMap(reader: Reader, indent: number, depth: number): Record<string, unknown> {
  const map: Record<string, unknown> = Object.create(null);
  for (let line = reader.peek(); line !== undefined && line.indent === indent; line = reader.peek()) {
    const entry = keyOf(line.text);
    if (entry === undefined || isItem(line.text)) throw problem(line, "is no `name: value`");
    if (entry.key in map) throw problem(line, `names ${entry.key} a second time`);
    reader.skip();
    map[entry.key] = readValue(reader, line, entry.rest, indent, depth);
  }
  return map;
}

function readValue(reader: Reader, line: Line, text: string, indent: number, depth: number): unknown {
  const block = /^([|>])([+-]?)\s*(?:#.*)?$/.exec(text);
  if (block !== null) return blockText(reader.takeDeeper(indent), block[1] === ">", block[2] ?? "");
  if (text !== "" && !text.startsWith("#")) return readInline(line, continued(reader, text, indent));
  const next = reader.peek();
  // A list may stand as far left as the name it belongs to.
  const isBelow =
    next !== undefined && (next.indent > indent || (next.indent === indent && isItem(next.text) && !isItem(line.text)));
  return isBelow ? readBlock(reader, next.indent, depth + 1) : null;
}

/** A plain text goes on in the lines below that are further in. */
function continued(reader: Reader, text: string, indent: number): string {
  if (/^["'[{]/.test(text)) return text;
  const more: string[] = [];
  for (let line = reader.peek(); line !== undefined && line.indent > indent; line = reader.peek()) {
    more.push(line.text);
    reader.skip();
  }
  return [text, ...more].join(" ");
}

function blockText(lines: readonly string[], folded: boolean, end: string): string {
  const indents = lines.filter((line) => line.trim() !== "").map((line) => line.length - line.trimStart().length);
  const margin = Math.min(...indents);
  const text = lines.map((line) => line.slice(margin)).join("\n");
  const joined = folded ? text.replace(/([^\n])\n(?=[^\n\s])/g, "$1 ") : text;
  return end === "-" ? joined.trimEnd() : `${joined.trimEnd()}\n`;
}

function isItem(text: string): boolean {
  return text === "-" || text.startsWith("- ");
}

function keyOf(text: string): { readonly key: string; readonly rest: string } | undefined {
  const [, double, single, plain, rest = ""] =
    /^(?:"([^"]*)"|'([^']*)'|([^\s"'[{#&*!|>%@`][^:#]*?))\s*:(?:\s+(.*))?$/.exec(text) ?? [];
  const key = double ?? single ?? plain;
  return key === undefined ? undefined : { key, rest };
}

function readInline(line: Line, text: string): unknown {
  const [value, rest] = inlineValue(line, text, 0);
  if (!/^\s*(?:#.*)?$/.test(rest)) throw problem(line, `has ${JSON.stringify(rest.trim())} after its value`);
  return value;
}

/** One value at the beginning of the text, and what follows it. Inside of brackets (`depth` > 0) commas and brackets end it. */
function inlineValue(line: Line, text: string, depth: number): readonly [unknown, string] {
  if (depth > deepest) throw problem(line, "is nested too deeply");
  const [first] = text;
  if (first === "[" || first === "{") return inlineCollection(line, text, depth);
  if (first === '"') {
    const [whole] = /^"(?:[^"\\]|\\.)*"/.exec(text) ?? [];
    if (whole === undefined) throw problem(line, 'has a " without its end');
    try {
      return [JSON.parse(whole), text.slice(whole.length)];
    } catch {
      throw problem(line, "has a text in double quotes that cannot be read");
    }
  }
  if (first === "'") {
    const [whole] = /^'(?:[^']|'')*'/.exec(text) ?? [];
    if (whole === undefined) throw problem(line, "has a ' without its end");
    return [whole.slice(1, -1).replaceAll("''", "'"), text.slice(whole.length)];
  }
  if (/^[&*!%@`|>]/.test(text))
    throw problem(line, `begins a value with ${first}, which is not supported here; put it in quotes`);
  const [whole = ""] = (depth > 0 ? /^[^,\]}]*/ : /^.*?(?=\s#|$)/).exec(text) ?? [];
  return [scalar(whole.trim()), text.slice(whole.length)];
}

function inlineCollection(line: Line, text: string, depth: number): readonly [unknown, string] {
  const isList = text.startsWith("[");
  const list: unknown[] = [];
  const map: Record<string, unknown> = Object.create(null);
  let rest = text.slice(1).trimStart();
  while (!rest.startsWith(isList ? "]" : "}")) {
    let key = "";
    if (!isList) {
      const [whole, double, single, plain] = /^(?:"([^"]*)"|'([^']*)'|([^\s,:{}[\]]+))\s*:\s*/.exec(rest) ?? [];
      if (whole === undefined) throw problem(line, "has a { without its }");
      key = double ?? single ?? plain ?? "";
      rest = rest.slice(whole.length);
    }
    const [value, after] = inlineValue(line, rest, depth + 1);
    if (isList) list.push(value);
    else map[key] = value;
    rest = after.trimStart();
    if (rest.startsWith(",")) rest = rest.slice(1).trimStart();
    else if (!rest.startsWith(isList ? "]" : "}"))
      throw problem(line, `has a ${isList ? "[ without its ]" : "{ without its }"}`);
  }
  return [isList ? list : map, rest.slice(1)];
}

function scalar(text: string): unknown {
  switch (text) {
    case "":
    case "~":
    case "null":
      return null;
    case "true":
      return true;
    case "false":
      return false;
    default:
      return /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/.test(text) ? Number(text) : text;
  }
}

function problem({ number }: Line, words: string): Error {
  return new Error(`line ${number} ${words}`);
}
