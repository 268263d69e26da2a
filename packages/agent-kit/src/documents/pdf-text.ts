// Gives the text of a PDF, page by page.
import { ToolFailure } from "../tool-failure.ts";
import { runInWorker } from "./run-in-worker.ts";

export interface PdfRequest {
  readonly bytes: Uint8Array;
  /** Pages are read until there is so much text. */
  readonly maxCharacters: number;
}

export interface PdfText {
  /** The text of each page that was read, from the first on. */
  readonly pages: readonly string[];
  /** How many pages the document has. */
  readonly count: number;
}

/** A larger file is not read. */
export const maxPdfBytes = 32_000_000;
const maxCharacters = 5_000_000;

/** The text with a line before each page that names it. Throws a `ToolFailure` that says why there is none. */
export async function pdfText(name: string, bytes: Uint8Array, signal: AbortSignal): Promise<string> {
  const data: PdfRequest = { bytes, maxCharacters };
  const subject = `${name} is a PDF document`;
  // The worker is ours and sends nothing else.
  const { pages, count } = (await runInWorker({ worker: "pdf-worker", data, subject }, signal)) as PdfText;
  if (pages.every((page) => page.trim() === "")) {
    throw new ToolFailure(
      `${subject} with ${count} ${count === 1 ? "page" : "pages"} and no text. Its pages are probably pictures, such as scans.`,
    );
  }
  const parts = pages.map((page, index) => `[Page ${index + 1} of ${count}]\n${page.trim()}\n`);
  const left = count - pages.length;
  return [...parts, ...(left > 0 ? [`[The last ${left} pages were left out: the text is too long.]\n`] : [])].join(
    "\n",
  );
}
