// Remembers what Claude has seen of each file, so that a file that has changed since is not overwritten.
import { createHash } from "node:crypto";
import { splitLines } from "@signalbox/agent-kit";

/** Lines that were shown, by their hash: the texts themselves may be large. */
interface SeenPart {
  readonly firstLine: number;
  readonly count: number;
  readonly hash: string;
  readonly reachesEnd: boolean;
}

const maxParts = 100;

export class SeenFiles {
  readonly #files = new Map<string, SeenPart[]>();

  /** Lines of the file were shown, from `firstLine` on. */
  noteLines(path: string, firstLine: number, text: string, reachesEnd: boolean): void {
    const part = { firstLine, count: splitLines(text).length, hash: hashText(text), reachesEnd };
    // Lines that were shown again are known as they are now.
    const others = (this.#files.get(path) ?? []).filter((each) => !overlap(each, part));
    this.#files.set(path, [...others, part].slice(-maxParts));
  }

  /** The whole file is known: it was written. */
  noteWhole(path: string, text: string): void {
    this.#files.set(path, [{ firstLine: 1, count: splitLines(text).length, hash: hashText(text), reachesEnd: true }]);
  }

  compare(path: string, current: string): "unseen" | "same" | "changed" {
    const parts = this.#files.get(path);
    if (parts === undefined) return "unseen";
    const lines = splitLines(current);
    return parts.every((part) => holds(part, lines)) ? "same" : "changed";
  }
}

function holds({ firstLine, count, hash, reachesEnd }: SeenPart, lines: readonly string[]): boolean {
  const end = firstLine - 1 + count;
  if (reachesEnd && lines.length !== end) return false;
  return hashText(lines.slice(firstLine - 1, end).join("")) === hash;
}

function overlap(a: SeenPart, b: SeenPart): boolean {
  return a.firstLine < b.firstLine + b.count && b.firstLine < a.firstLine + a.count;
}

/** Without the last line's end: asked for lines, some clients leave it out. */
function hashText(text: string): string {
  return createHash("sha256")
    .update(text.replace(/\r?\n$/, ""))
    .digest("base64");
}
