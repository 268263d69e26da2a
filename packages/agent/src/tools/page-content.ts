// Makes content for a model of pages of a PDF, with words about them.
import type { PdfPages } from "@signalbox/agent-kit";
import type { ModelContent } from "./tool.ts";

/** `more` says how to see other pages, such as `11-20`. */
export function pageContent(
  { name, bytes, range, note, next }: PdfPages,
  more: (next: string) => string,
): readonly ModelContent[] {
  return [
    { type: "text", text: `[${note}${next === undefined ? "" : ` ${more(next)}`}]` },
    { type: "pdf", data: Buffer.from(bytes).toString("base64"), name, pages: range },
  ];
}
