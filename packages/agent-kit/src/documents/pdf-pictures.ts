// Takes the pictures out of the pages of a PDF, for a model that sees images but takes no PDF. A scan is one picture for each page.
import type { ModelImage } from "./fit-image.ts";
import type { PdfPages } from "./read-pdf.ts";
import { runInWorker } from "./run-in-worker.ts";

export interface PicturesRequest {
  readonly type: "pictures";
  readonly bytes: Uint8Array;
  readonly maxSide: number;
  readonly maxBytes: number;
  /** Of one page. */
  readonly maxPictures: number;
}

export interface PagePictures {
  /** From 1 on, in the bytes that were given. */
  readonly page: number;
  /** The largest ones, in the order in which the page has them; empty for a page without pictures. */
  readonly images: readonly { readonly bytes: Uint8Array; readonly mimeType: string }[];
}

/** Providers make larger images smaller themselves. */
const maxSide = 1568;
const maxBytes = 500_000;
/** Some scanners write a page as strips. */
const maxPictures = 4;

type PicturePart = { readonly type: "text"; readonly text: string } | ({ readonly type: "image" } & ModelImage);

/** The pictures of each page, after its number in the whole document; words where it has none. Throws a `ToolFailure` where the document cannot be read. */
export async function pdfPictures(
  { name, bytes, range }: Pick<PdfPages, "name" | "bytes" | "range">,
  signal: AbortSignal,
): Promise<readonly PicturePart[]> {
  const data: PicturesRequest = { type: "pictures", bytes, maxSide, maxBytes, maxPictures };
  const subject = `${name} is a PDF document`;
  // The worker is ours and sends nothing else.
  const pages = (await runInWorker({ worker: "pdf-worker", data, subject }, signal)) as readonly PagePictures[];
  const unseen = pages.filter(({ images }) => images.length === 0).map(({ page }) => range.first + page - 1);
  const seen = pages.flatMap(({ page, images }): readonly PicturePart[] => {
    if (images.length === 0) return [];
    const shown = images.map((image) => ({
      type: "image" as const,
      data: Buffer.from(image.bytes).toString("base64"),
      mimeType: image.mimeType,
    }));
    return [{ type: "text", text: `[Page ${range.first + page - 1}]` }, ...shown];
  });
  return unseen.length === 0 ? seen : [...seen, { type: "text", text: unseenPages(unseen, name) }];
}

function unseenPages(pages: readonly number[], name: string): string {
  const which = pages.length === 1 ? "this page" : "these pages";
  return `[You do not see ${which} of ${name}: ${pages.join(", ")}. Pages reach you only as the pictures that are on them, and here there is none: probably letters, lines or shapes are drawn. ${howToSeePdf(name)}]`;
}

/** Tells a model that was not shown the pages how it can see them. */
export function howToSeePdf(name: string): string {
  return `If you can run commands, look whether ocrmypdf or tesseract is there to get the text, or pdftoppm to make images of the pages. Otherwise ask the user for the text of ${name}.`;
}
