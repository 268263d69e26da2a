// What a model gets of PDFs: of those with text and of scans, also of those that are damaged, empty or made to take forever.
import { PhotonImage } from "@silvia-odwyer/photon-node";
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

  it("is shown by pages, with the pictures of these pages alone", async () => {
    const scan = exampleScan(exampleJpeg, letter, "drawn");
    const rest = (await readPdf("/papers/scan.pdf", scan, "2-40", signal)) as PdfPages;
    expect(rest).toMatchObject({ name: "scan.pdf", note: "Here are pages 2 to 3 of 3.", next: undefined });
    const pictures = await pdfPictures(rest, signal);
    expect(pictures).toMatchObject([
      { text: "[Page 2]" },
      { type: "image", mimeType: "image/png" },
      { text: expect.stringMatching(/^\[You do not see this page of scan\.pdf: 3\. .* If you can run commands, /) },
    ]);
    const written = pictures.find((part) => part.type === "image")?.data ?? "";
    const image = PhotonImage.new_from_byteslice(Buffer.from(written, "base64"));
    expect([image.get_width(), image.get_height()]).toEqual([10, 20]);
    expect(image.get_raw_pixels().slice(7 * 4, 9 * 4)).toEqual(Uint8Array.of(0, 0, 0, 255, 255, 255, 255, 255));
  });

  it("has no pages but its own", async () => {
    await expect(readPdf("scan.pdf", exampleScan(letter), "2", signal)).rejects.toThrow(
      "scan.pdf is a PDF document with 1 page: it has no page 2.",
    );
    await expect(readPdf("empty.pdf", examplePdf(), undefined, signal)).rejects.toThrow(
      "empty.pdf is a PDF document with 0 pages: it has no page.",
    );
    await expect(readPdf("scan.pdf", exampleScan(letter), "5-3", signal)).rejects.toThrow('"5-3" names no pages.');
  });
});
