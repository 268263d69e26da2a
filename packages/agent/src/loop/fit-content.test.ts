// What a model gets of a PDF, by what it can see, and what stands in its place when the provider refuses it.
import { expect, it } from "vitest";
import { exampleJpeg, examplePdf, exampleScan } from "../../../agent-kit/src/documents/example-pdf.ts";
import type { ModelContent } from "../tools/tool.ts";
import { estimateTokens } from "./estimate.ts";
import { fitContent } from "./fit-content.ts";
import { withoutRefused } from "./refused-content.ts";

const { signal } = new AbortController();
const kept: string[] = [];
const workspace = {
  keepOutput: async (text: string) => {
    kept.push(text);
    return "/outputs/1.txt";
  },
};
const pdf = (bytes: Buffer) => ({ type: "pdf", data: bytes.toString("base64"), name: "scan.pdf" }) as const;
const scan = pdf(exampleScan(exampleJpeg, exampleJpeg));
const pages = { ...scan, pages: { first: 3, last: 4 } };

async function fit(part: ModelContent, sees: { readsPdfs?: boolean; seesImages?: boolean }): Promise<unknown[]> {
  const model = {
    name: "a-model",
    facts: { seesImages: sees.seesImages ?? true },
    readsPdfs: sees.readsPdfs ?? false,
    contextWindow: 5000,
  };
  const fitted = await fitContent([part], { model, workspace, signal });
  return fitted.map((each) => (each.type === "image" ? each.mimeType : each.type === "text" ? each.text : each));
}

it("shows pages as the PDF itself, else as pictures, else says what can be done", async () => {
  expect(await fit(pages, { readsPdfs: true })).toEqual([pages]);
  const pictures = ["[Page 3]", "image/jpeg", "[Page 4]", "image/jpeg"];
  expect(await fit(pages, {})).toEqual(pictures);
  // More than a provider takes.
  const big = {
    ...pages,
    ...pdf(Buffer.concat([exampleScan(exampleJpeg, exampleJpeg), Buffer.alloc(4_500_000, "\n")])),
  };
  const words = [
    expect.stringMatching(
      /^\[The pages of scan\.pdf were left out: a-model sees no PDFs\. .*ask the user for the text of scan\.pdf\.\]$/,
    ),
  ];
  expect(await fit(big, { readsPdfs: true, seesImages: false })).toEqual(words);
  expect(await fit(pages, { seesImages: false })).toEqual(words);
});

it("gives what was attached as text, with all of it in a file where it is long; a scan as its pages", async () => {
  // What is drawn outside the page does not count, so the lines stand on one another.
  const lines = Array.from({ length: 400 }, () => "the same words again and again").join(") Tj 0 0 Td (");
  const [long] = await fit(pdf(examplePdf(lines, lines, "the end")), {});
  expect(long).toMatch(/^<resource uri="scan\.pdf">\n\[Page 1 of 3\].* All of it is in \/outputs\/1\.txt/s);
  expect(kept[0]).toContain("[Page 3 of 3]\nthe end");
  expect(await fit(scan, { readsPdfs: true })).toEqual([
    expect.stringMatching(
      /^\[scan\.pdf is a PDF document with 2 pages and no text\. .*Here are pages 1 to 2 of 2\.\]$/,
    ),
    { ...scan, pages: { first: 1, last: 2 } },
  ]);
});

it("counts the tokens of pages, and takes them out when the provider refuses them", () => {
  const result = { id: "1", name: "read", content: [{ type: "text", text: "[Here]" } as const, pages], isError: false };
  const message = { role: "tool", results: [result] } as const;
  expect(estimateTokens(message)).toBeGreaterThan(3000);
  const [replaced] = withoutRefused([message], "too many pages")?.messages ?? [];
  expect(JSON.stringify(replaced)).toContain("[Here]");
  expect(JSON.stringify(replaced)).toContain("refused the request with it: too many pages]");
  expect(JSON.stringify(replaced)).not.toContain(scan.data);
});
