// Writes Markdown block by block. Elements may come in any order and need not be closed.

interface List {
  /** The next number; undefined for bullets. */
  next: number | undefined;
}

const maxIndent = 10;

export class MarkdownWriter {
  readonly #base: string;
  readonly #blocks: string[] = [];
  readonly #lists: List[] = [];
  readonly #links: { readonly href: string; readonly start: number }[] = [];
  /** The text of the open block, in pieces: joining it at every step would make long blocks slow. */
  #inline: string[] = [];
  /** Open emphasis. */
  readonly #marks: string[] = [];
  /** The bullet that the next block begins with. */
  #marker = "";
  #heading = "";
  #quotes = 0;
  #fence: { text: string; language: string } | undefined;
  /** Rows of the outermost table. */
  #table: string[][] | undefined;
  #tables = 0;

  constructor(base: string) {
    this.#base = base;
  }

  text(text: string): void {
    if (this.#fence !== undefined) {
      this.#fence.text += text;
      return;
    }
    const squeezed = text.replace(/[\s\u00A0]+/g, " ");
    const last = this.#inline.at(-1);
    const isDouble = squeezed.startsWith(" ") && (last === undefined || /\s$/.test(last));
    this.#add(isDouble ? squeezed.slice(1) : squeezed);
  }

  /** Ends the block that is open. */
  block(): void {
    if (this.#fence !== undefined) return;
    // Inside a cell everything is one line.
    if (this.#table !== undefined) {
      this.text(" ");
      return;
    }
    const text = this.#takeInline().trim();
    if (text !== "") this.#push(this.#heading + text);
  }

  heading(level: number, edge: "open" | "close"): void {
    this.block();
    this.#heading = edge === "open" && this.#table === undefined ? `${"#".repeat(level)} ` : "";
  }

  lineBreak(): void {
    if (this.#fence !== undefined) this.#fence.text += "\n";
    else {
      this.#trimEnd();
      this.#add(this.#table === undefined ? "\n" : " ");
    }
  }

  rule(): void {
    this.block();
    if (this.#table === undefined) this.#push("---");
  }

  mark(mark: string, edge: "open" | "close"): void {
    if (this.#fence !== undefined || this.#heading !== "") return;
    if (edge === "open") {
      this.#marks.push(mark);
      this.#add(mark);
      return;
    }
    const open = this.#marks.lastIndexOf(mark);
    if (open === -1) return;
    this.#marks.splice(open);
    const hadSpace = this.#trimEnd();
    // Marks around nothing would be visible.
    if (this.#inline.at(-1) === mark) this.#inline.pop();
    else this.#add(mark);
    if (hadSpace) this.#add(" ");
  }

  openLink(href: string): void {
    if (this.#fence === undefined) this.#links.push({ href, start: this.#inline.length });
  }

  closeLink(): void {
    const link = this.#links.pop();
    if (link === undefined || this.#fence !== undefined) return;
    const text = this.#inline.splice(link.start).join("");
    const url = this.#absolute(link.href);
    const label = text.replace(/\s+/g, " ").trim();
    this.#add(url === undefined || label === "" ? text : `${text.startsWith(" ") ? " " : ""}[${label}](${url})`);
  }

  image(src: string, alt: string): void {
    const url = this.#absolute(src);
    if (this.#fence === undefined && url !== undefined && alt.trim() !== "") this.text(`![${alt.trim()}](${url})`);
  }

  openCode(className: string): void {
    if (this.#fence === undefined) this.#add("`");
    else if (this.#fence.language === "") this.#fence.language = readLanguage(className);
  }

  closeCode(): void {
    if (this.#fence === undefined) this.#add("`");
  }

  openFence(className: string): void {
    if (this.#table !== undefined || this.#fence !== undefined) return;
    this.block();
    this.#fence = { text: "", language: readLanguage(className) };
  }

  closeFence(): void {
    const fence = this.#fence;
    this.#fence = undefined;
    const text = fence?.text.replace(/^\r?\n/, "").trimEnd() ?? "";
    if (fence === undefined || text === "") return;
    const ticks = "`".repeat(Math.max(3, ...[...text.matchAll(/`+/g)].map(([run]) => run.length + 1)));
    this.#push(`${ticks}${fence.language}\n${text}\n${ticks}`);
  }

  openQuote(): void {
    this.block();
    this.#quotes++;
  }

  closeQuote(): void {
    this.block();
    this.#quotes = Math.max(0, this.#quotes - 1);
  }

  openList(start: number | undefined): void {
    this.block();
    this.#lists.push({ next: start });
  }

  closeList(): void {
    this.block();
    this.#lists.pop();
    this.#marker = "";
  }

  item(): void {
    this.block();
    const list = this.#lists.at(-1);
    this.#marker = list?.next === undefined ? "- " : `${list.next++}. `;
  }

  openTable(): void {
    if (this.#table === undefined) this.block();
    this.#tables++;
    this.#table ??= [];
  }

  row(): void {
    if (this.#table === undefined || this.#tables > 1) return;
    this.#endCell();
    this.#table.push([]);
  }

  cell(): void {
    if (this.#table === undefined || this.#tables > 1) return;
    this.#endCell();
    if (this.#table.length === 0) this.#table.push([]);
    this.#table.at(-1)?.push("");
  }

  closeTable(): void {
    if (this.#table === undefined || --this.#tables > 0) return;
    this.#endCell();
    const rows = this.#table.filter((row) => row.some((cell) => cell !== ""));
    this.#table = undefined;
    this.#tables = 0;
    const columns = Math.max(0, ...rows.map((row) => row.length));
    if (columns === 0) return;
    // A table of one column is for layout.
    if (columns === 1) for (const [cell = ""] of rows) this.#push(cell);
    else {
      const lines = rows.map(
        (row) => `| ${Array.from({ length: columns }, (_, index) => row[index] ?? "").join(" | ")} |`,
      );
      this.#push([lines[0], `|${" --- |".repeat(columns)}`, ...lines.slice(1)].join("\n"));
    }
  }

  finish(): string {
    this.closeFence();
    this.#tables = Math.min(this.#tables, 1);
    this.closeTable();
    this.block();
    return this.#blocks.join("").trim();
  }

  #endCell(): void {
    const text = this.#takeInline().replace(/\s+/g, " ").trim().replaceAll("|", "\\|");
    const row = this.#table?.at(-1);
    if (row !== undefined && row.length > 0) row[row.length - 1] = text;
  }

  #add(text: string): void {
    if (text !== "") this.#inline.push(text);
  }

  /** Removes blanks at the end. True when there were any. */
  #trimEnd(): boolean {
    const last = this.#inline.at(-1);
    if (last === undefined || !/\s$/.test(last)) return false;
    this.#inline.pop();
    this.#add(last.trimEnd());
    return true;
  }

  #takeInline(): string {
    const text = this.#inline.join("");
    this.#inline = [];
    this.#links.length = 0;
    this.#marks.length = 0;
    return text;
  }

  #push(text: string): void {
    const depth = Math.min(this.#lists.length, maxIndent);
    const isItem = this.#marker !== "";
    const indent = "  ".repeat(Math.max(0, depth - (isItem ? 1 : 0)));
    const quote = "> ".repeat(Math.min(this.#quotes, maxIndent));
    const lines = text.split("\n");
    const rest = isItem ? " ".repeat(this.#marker.length) : "";
    const prefixed = lines.map(
      (line, index) => `${quote}${indent}${index === 0 ? this.#marker : rest}${line.trimEnd()}`,
    );
    this.#marker = "";
    // No empty line between items.
    this.#blocks.push(`${isItem && depth > 0 ? "\n" : "\n\n"}${prefixed.join("\n")}`);
  }

  #absolute(href: string): string | undefined {
    const url = URL.parse(href.trim(), this.#base);
    return url !== null && /^(?:https?|mailto):$/.test(url.protocol) ? url.href : undefined;
  }
}

function readLanguage(className: string): string {
  return /(?:^|\s)(?:language|lang|highlight-source|brush:)-?\s?([\w+#-]{1,20})/.exec(className)?.[1] ?? "";
}
