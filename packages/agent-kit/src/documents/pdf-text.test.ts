// The text of PDFs, also of those that are damaged, empty or made to take forever.
import { describe, expect, it } from "vitest";
import { examplePdf } from "./example-pdf.ts";
import { pdfText } from "./pdf-text.ts";

const { signal } = new AbortController();

describe("the text of a PDF", () => {
  it("comes page by page, each with its number", async () => {
    expect(await pdfText("a.pdf", examplePdf("Invoice 42", "Thank you"), signal)).toBe(
      "[Page 1 of 2]\nInvoice 42\n\n[Page 2 of 2]\nThank you\n",
    );
  });

  it("that has none, or is damaged, is explained", async () => {
    await expect(pdfText("scan.pdf", examplePdf(""), signal)).rejects.toThrow(
      "scan.pdf is a PDF document with 1 page and no text. Its pages are probably pictures, such as scans.",
    );
    await expect(pdfText("bad.pdf", Buffer.from("%PDF-1.7\nnothing"), signal)).rejects.toThrow(
      "bad.pdf is a PDF document that cannot be read",
    );
  });

  it("is not waited for when the call is cancelled", async () => {
    const stop = new AbortController();
    const reading = pdfText("a.pdf", examplePdf("x"), stop.signal);
    stop.abort(new Error("cancelled by the user"));
    await expect(reading).rejects.toThrow("cancelled by the user");
  });
});
