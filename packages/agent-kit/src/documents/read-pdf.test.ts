// What a model gets of PDFs: of those with text and of scans, also of those that are damaged, empty or made to take forever.
import { PhotonImage } from "@silvia-odwyer/photon-node";
import { imageSize } from "image-size";
import { describe, expect, it } from "vitest";
import { exampleJpeg, examplePdf, exampleScan } from "./example-pdf.ts";
import { pdfPictures } from "./pdf-pictures.ts";
import { type PdfPages, readPdf } from "./read-pdf.ts";

const { signal } = new AbortController();

describe("the text of a PDF", () => {
  it("comes page by page, each with its number", async () => {
    expect(await readPdf("a.pdf", examplePdf("Invoice 42", "", "Thank you"), undefined, signal)).toEqual({
      type: "text",
      text: "[Page 1 of 3]\nInvoice 42\n\n[Page 2 of 3: no text]\n\n[Page 3 of 3]\nThank you\n",
    });
  });

  it("that is damaged is explained", async () => {
    await expect(readPdf("bad.pdf", Buffer.from("%PDF-1.7\nnothing"), undefined, signal)).rejects.toThrow(
      "bad.pdf is a PDF document that cannot be read",
    );
  });

  it("is not waited for when the call is cancelled", async () => {
    const stop = new AbortController();
    const reading = readPdf("a.pdf", examplePdf("x"), undefined, stop.signal);
    stop.abort(new Error("cancelled by the user"));
    await expect(reading).rejects.toThrow("cancelled by the user");
  });
});

describe("a scan", () => {
  /** As most scanners write letters, with a bit for each pixel: eight black ones in each row, and two white. */
  const letter = { width: 10, height: 20, data: { bits: Buffer.alloc(40, Buffer.from([0x00, 0xc0])) } };

  it("comes as the document itself, with words about it", async () => {
    const scan = exampleScan(exampleJpeg);
    const read = (await readPdf("/papers/scan.pdf", scan, undefined, signal)) as PdfPages;
    expect(Buffer.from(read.bytes)).toEqual(scan);
    expect(read).toMatchObject({ type: "pages", name: "scan.pdf", range: { first: 1, last: 1 } });
    expect(read.note).toBe(
      "/papers/scan.pdf is a PDF document with 1 page and no text. Its pages are probably pictures, such as scans. Here is page 1 of 1.",
    );
  });

  it("of many pages comes in parts, by their numbers, with the pictures of these pages alone", async () => {
    const scan = exampleScan(...Array.from({ length: 12 }, (_, page) => (page === 10 ? letter : exampleJpeg)));
    const begin = (await readPdf("scan.pdf", scan, undefined, signal)) as PdfPages;
    expect(begin).toMatchObject({ range: { first: 1, last: 10 }, next: "11-12" });

    const rest = (await readPdf("scan.pdf", scan, "11-40", signal)) as PdfPages;
    expect(rest).toMatchObject({ note: "Here are pages 11 to 12 of 12.", next: undefined });
    const pictures = await pdfPictures(rest, signal);
    const sizes = pictures.map((part) =>
      part.type === "text" ? part.text : { mimeType: part.mimeType, ...imageSize(Buffer.from(part.data, "base64")) },
    );
    expect(sizes).toMatchObject([
      "[Page 11]",
      { mimeType: "image/png", width: 10, height: 20 },
      "[Page 12]",
      { mimeType: "image/jpeg", width: 32, height: 16 },
    ]);

    const written = pictures.find((part) => part.type === "image")?.data ?? "";
    const pixels = PhotonImage.new_from_byteslice(Buffer.from(written, "base64")).get_raw_pixels();
    expect([...pixels.slice(7 * 4, 9 * 4)]).toEqual([0, 0, 0, 255, 255, 255, 255, 255]);
    const drawn = { name: "drawn.pdf", bytes: examplePdf("x"), range: { first: 7, last: 7 } };
    expect(await pdfPictures(drawn, signal)).toMatchObject([
      { text: expect.stringContaining("[Page 7 has no picture that could be taken out. If you can run commands, ") },
    ]);

    await expect(readPdf("scan.pdf", scan, "13", signal)).rejects.toThrow("with 12 pages: it has no page 13.");
    await expect(readPdf("scan.pdf", scan, "5-3", signal)).rejects.toThrow('"5-3" names no pages.');
  });
});
