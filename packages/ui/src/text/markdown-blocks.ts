// Splits Markdown into top-level blocks, so that only the last block of a streaming text is parsed again. A block that is followed by another
// never changes. Lists stay whole because of their numbers, and fences are never split.

interface MarkdownBlocks {
  readonly blocks: readonly string[];
  /** Link definitions are valid for the whole text, so every block gets them. */
  readonly definitions: string;
  /** The notes that `[^label]` refers to: they stand below the text. */
  readonly footnotes: readonly Footnote[];
}

interface Footnote {
  readonly label: string;
  readonly text: string;
}

const footnoteStart = /^ {0,3}\[\^([^\]\s]{1,100})\]:[ \t]*/;

export function splitMarkdown(text: string): MarkdownBlocks {
  const blocks: string[] = [];
  const definitions: string[] = [];
  let current: string[] = [];
  let fence: string | null = null;
  let afterBlank = false;
  const close = () => {
    if (current.length > 0) blocks.push(current.join("\n"));
    current = [];
  };
  for (const line of text.split("\n")) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence !== null) {
      current.push(line);
      if (mark !== undefined && mark.startsWith(fence) && line.trim() === mark) fence = null;
      afterBlank = false;
      continue;
    }
    if (line.trim() === "") {
      afterBlank = true;
      if (current.length > 0) current.push(line);
      continue;
    }
    if ((afterBlank && !continuesBlock(current, line)) || footnoteStart.test(line)) close();
    afterBlank = false;
    if (/^ {0,3}\[[^\]^][^\]]*\]:\s*\S/.test(line)) definitions.push(line);
    if (mark !== undefined) {
      // A fence after text starts a new block; inside a list it is part of the item.
      if (!isList(current)) close();
      fence = mark;
    }
    current.push(line);
  }
  close();
  return { ...separateFootnotes(blocks), definitions: definitions.join("\n") };
}

/** A second note with the same label is a block like any other. */
function separateFootnotes(blocks: readonly string[]): Pick<MarkdownBlocks, "blocks" | "footnotes"> {
  const footnotes = new Map<string, Footnote>();
  const others = blocks.filter((block) => {
    const [start, label] = footnoteStart.exec(block) ?? [];
    if (start === undefined || label === undefined || footnotes.has(label.toLowerCase())) return true;
    const text = block.slice(start.length).replaceAll(/^(?: {4}|\t)/gm, "");
    footnotes.set(label.toLowerCase(), { label, text });
    return false;
  });
  return { blocks: others, footnotes: [...footnotes.values()] };
}

/** After a blank line, an indented line continues any block, and another item continues a list. */
function continuesBlock(block: readonly string[], line: string): boolean {
  if (block.length === 0) return false;
  if (/^(?: {2,}|\t)/.test(line)) return true;
  return isList(block) && isItem(line);
}

const isItem = (line: string) => /^ {0,3}(?:[-*+]|\d{1,9}[.)])\s/.test(line);
const isList = (block: readonly string[]) => block[0] !== undefined && isItem(block[0]);
