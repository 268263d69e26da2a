// Reads a PDF in a thread of its own: read-pdf.ts and pdf-pictures.ts start it and end it when it takes too long.
import { parentPort, workerData } from "node:worker_threads";
import { getDocumentProxy } from "unpdf";
import type { PagePictures, PicturesRequest } from "./pdf-pictures.ts";
import type { PageRange, PdfAnswer, PdfRequest } from "./read-pdf.ts";

/** A page of 600 dpi has 35 million. A larger image is left out. */
const maxPixels = 50_000_000;

type Pdf = Awaited<ReturnType<typeof getDocumentProxy>>;

async function read({ bytes, maxCharacters, wanted, maxPages }: PdfRequest): Promise<PdfAnswer> {
  // The library takes over the bytes that it is given.
  const pdf = await getDocumentProxy(bytes.slice());
  const count = pdf.numPages;
  const texts = wanted === null ? await readTexts(pdf, maxCharacters) : [];
  if (texts.some((text) => text.trim() !== "")) return { count, texts, pages: null };
  const { first, last } = wanted ?? { first: 1, last: count };
  if (first > count) return { count, texts: [], pages: null };
  const range = { first, last: Math.min(last, first + maxPages - 1, count) };
  return { count, texts: [], pages: { bytes: await extractPages(pdf, range, bytes), range } };
}

async function readTexts(pdf: Pdf, maxCharacters: number): Promise<readonly string[]> {
  const texts: string[] = [];
  let characters = 0;
  for (let number = 1; number <= pdf.numPages && characters < maxCharacters; number++) {
    const page = await pdf.getPage(number);
    const { items } = await page.getTextContent();
    const text = items.map((item) => ("str" in item ? `${item.str}${item.hasEOL ? "\n" : ""}` : "")).join("");
    texts.push(text);
    characters += text.length;
    page.cleanup();
  }
  return texts;
}

async function extractPages(pdf: Pdf, { first, last }: PageRange, bytes: Uint8Array): Promise<Uint8Array> {
  if (first === 1 && last === pdf.numPages) return bytes;
  // It counts from 0 on.
  return await pdf.extractPages([{ document: null, includePages: [[first - 1, last - 1]] }]);
}

async function pictures({ bytes, maxPictures, ...limits }: PicturesRequest): Promise<readonly PagePictures[]> {
  const pdf = await getDocumentProxy(bytes, { maxImageSize: maxPixels });
  // Loaded when it is needed: most PDFs have text.
  const { picturesOnPage } = await import("./page-pictures.ts");
  const pages: PagePictures[] = [];
  for (let number = 1; number <= pdf.numPages; number++) {
    const page = await pdf.getPage(number);
    pages.push({ page: number, images: await picturesOnPage(page, maxPictures, limits) });
    page.cleanup();
  }
  return pages;
}

const request: PdfRequest | PicturesRequest = workerData;

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- only windows have an origin
parentPort?.postMessage(request.type === "read" ? await read(request) : await pictures(request));
