// Reads a PDF for a model: its text, page by page, or the pages themselves, where it has no text or somebody wants to see them.
import { ToolFailure } from "../tool-failure.ts";
import { runInWorker } from "./run-in-worker.ts";

export interface PdfRequest {
  readonly type: "read";
  readonly bytes: Uint8Array;
  /** Pages are read until there is so much text. */
  readonly maxCharacters: number;
  readonly wanted: PageRange | null;
  readonly maxPages: number;
}

/** Both from 1 on, both included. */
export interface PageRange {
  readonly first: number;
  readonly last: number;
}

export interface PdfAnswer {
  /** How many pages the document has. */
  readonly count: number;
  /** The text of each page that was read, from the first on. */
  readonly texts: readonly string[];
  /** In place of texts. Null where there are texts, and where the document has no such page. */
  readonly pages: { readonly bytes: Uint8Array; readonly range: PageRange } | null;
}

/** A PDF as a model gets it. */
export type PdfContent = { readonly type: "text"; readonly text: string } | PdfPages;

/** A PDF as models get it. */
export interface ModelPdf {
  /** Base64. */
  readonly data: string;
  readonly name: string;
  /** Which pages of the file these are; undefined while it was not read yet: then it may as well be a text. */
  readonly pages?: PageRange;
}

/** A PDF of these pages alone. */
export interface PdfPages {
  readonly type: "pages";
  /** The last part of the path or address. */
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly range: PageRange;
  /** Which pages of what these are, in words for the model. */
  readonly note: string;
  /** The pages that come next: `11-20`; undefined where these are the last. */
  readonly next: string | undefined;
}

/** A larger file is not read. */
export const maxPdfBytes = 32_000_000;
/** A page takes 2,000 tokens and, as a picture, half a second. */
const maxPdfPages = 10;
const maxNameLength = 200;
const maxCharacters = 5_000_000;

/**
 * The text with a line before each page that names it; the first pages where it has none; or the `wanted` pages: `3`, or `3-5`. Throws a
 * `ToolFailure` that says why there is nothing.
 */
export async function readPdf(
  name: string,
  bytes: Uint8Array,
  wanted: string | undefined,
  signal: AbortSignal,
): Promise<PdfContent> {
  const data: PdfRequest = {
    type: "read",
    bytes,
    maxCharacters,
    wanted: wanted === undefined ? null : parseRange(wanted),
    maxPages: maxPdfPages,
  };
  const subject = `${name} is a PDF document`;
  // The worker is ours and sends nothing else.
  const { count, texts, pages } = (await runInWorker({ worker: "pdf-worker", data, subject }, signal)) as PdfAnswer;
  const length = pagesText(count);
  if (pages === null && texts.length === 0)
    throw new ToolFailure(`${subject} with ${length}: it has no page${wanted === undefined ? "" : ` ${wanted}`}.`);
  if (pages === null) return { type: "text", text: joined(texts, count) };
  const { first, last } = pages.range;
  const shown = first === last ? `page ${first}` : `pages ${first} to ${last}`;
  const why =
    wanted === undefined
      ? `${subject} with ${length} and no text. Its pages are probably pictures, such as scans. `
      : "";
  return {
    type: "pages",
    name: (name.split(/[\\/]/).at(-1) || name).slice(0, maxNameLength),
    bytes: pages.bytes,
    range: pages.range,
    note: `${why}Here ${first === last ? "is" : "are"} ${shown} of ${count}.`,
    next: last < count ? rangeText(last + 1, Math.min(count, last + maxPdfPages)) : undefined,
  };
}

function parseRange(words: string): PageRange {
  const [, first = "", last = first] = /^\s*(\d{1,6})\s*(?:(?:-|–|to)\s*(\d{1,6}))?\s*$/.exec(words) ?? [];
  const range = { first: Number(first), last: Number(last) };
  if (range.first < 1 || range.last < range.first) {
    throw new ToolFailure(`"${words}" names no pages. Name one, such as "3", or some, such as "3-5".`);
  }
  return range;
}

function rangeText(first: number, last: number): string {
  return first === last ? String(first) : `${first}-${last}`;
}

function pagesText(count: number): string {
  return `${count} ${count === 1 ? "page" : "pages"}`;
}

function joined(texts: readonly string[], count: number): string {
  const parts = texts.map((text, index) => {
    const words = text.trim();
    return words === "" ? `[Page ${index + 1} of ${count}: no text]\n` : `[Page ${index + 1} of ${count}]\n${words}\n`;
  });
  const left = count - texts.length;
  return [...parts, ...(left > 0 ? [`[Left out at the end: ${pagesText(left)}. The text is too long.]\n`] : [])].join(
    "\n",
  );
}
