// Reads the text of a PDF in a thread of its own. pdf-text.ts starts it and ends it when it takes too long.
import { parentPort, workerData } from "node:worker_threads";
import { getDocumentProxy } from "unpdf";
import type { PdfRequest, PdfText } from "./pdf-text.ts";

async function readPdf({ bytes, maxCharacters }: PdfRequest): Promise<PdfText> {
  const pdf = await getDocumentProxy(bytes);
  const pages: string[] = [];
  let characters = 0;
  for (let number = 1; number <= pdf.numPages && characters < maxCharacters; number++) {
    const page = await pdf.getPage(number);
    const { items } = await page.getTextContent();
    const text = items.map((item) => ("str" in item ? `${item.str}${item.hasEOL ? "\n" : ""}` : "")).join("");
    pages.push(text);
    characters += text.length;
    page.cleanup();
  }
  return { pages, count: pdf.numPages };
}

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- only windows have an origin
parentPort?.postMessage(await readPdf(workerData));
