// Implements Read: it reads lines of a text file, images and PDFs through the client.

import type { ToolCallContent } from "@agentclientprotocol/sdk";
import {
  fitImage,
  identifyBytes,
  type LimitedLines,
  limitLines,
  linesInRange,
  maxPdfBytes,
  maxReadCharacters,
  maxReadLines,
  pdfPictures,
  readPdf,
  splitLines,
  ToolFailure,
} from "@signalbox/agent-kit";
import { imageContent, textContent } from "@signalbox/tool-calls";
import { z } from "zod";
import type { ToolFiles } from "./files.ts";
import type { SeenFiles } from "./seen-files.ts";
import { type ClientTool, defineTool, type ToolAnswer, type ToolAnswerPart } from "./tool.ts";

/** By their names, so that a text costs no second read. What is in them decides. */
const documentNames = /\.(?:png|jpe?g|gif|webp|pdf)$/i;

const description = `Reads a text file, an image (PNG, JPEG, GIF, WebP) or a PDF.

- file_path should be an absolute path.
- Up to ${maxReadLines} lines and ${maxReadCharacters} characters are given immediately, from the beginning or from line \`offset\` (counted from 1). Use offset and limit for the rest of a long file.
- Each line comes with its number and a tab before it, which are not part of the file.
- What is given may have changed since you last looked, also without you.
- A PDF comes as the text of its pages; offset and limit count its lines. One without text, such as a scan, comes as images of its pages.
- pages shows pages of a PDF as images: "3", or "3-5".
- It does not read folders.`;

export function readTool(files: ToolFiles, seen: SeenFiles): ClientTool {
  return defineTool({
    name: "Read",
    description,
    isReadOnly: true,
    input: {
      file_path: z.string().describe("The absolute path of the file"),
      offset: z.number().int().min(1).optional().describe("The line to begin with, counted from 1"),
      limit: z.number().int().min(1).optional().describe("How many lines to read"),
      pages: z.string().optional().describe("Which pages of a PDF to show"),
    },
    async run({ file_path, offset: first = 1, limit = maxReadLines, pages }, { signal, show }) {
      const path = files.absolute(file_path);
      const wanted = Math.min(limit, maxReadLines);
      const document = documentNames.test(path) ? await readDocument(files, path, pages, signal) : undefined;
      if (typeof document === "object") {
        show({ content: document.map(shownPart) });
        return document;
      }
      // One more than is shown tells whether there are more.
      const range = { line: first, limit: wanted + 1 };
      const text = document === undefined ? await files.read(path, range, signal) : linesInRange(document, range);
      if (text === null) throw new ToolFailure(`There is no file ${path}.`);
      const shown = limitLines(text, wanted);
      if (document === undefined && shown.longLine === undefined)
        seen.noteLines(path, first, shown.text, !shown.isTruncated);
      show({ content: [textContent(shown.text)] });
      return `${numbered(shown.text, first)}${leftOut(shown, first)}`;
    },
  });
}

/** The image, the text of the PDF or pictures of its pages; undefined when it is neither, whatever its name says. */
async function readDocument(
  files: ToolFiles,
  path: string,
  pages: string | undefined,
  signal: AbortSignal,
): Promise<ToolAnswer | undefined> {
  const bytes = await files.readBytes(path, maxPdfBytes, signal);
  if (bytes === null) return undefined;
  const kind = identifyBytes(bytes);
  if (kind.type === "pdf") {
    const read = await readPdf(path, bytes, pages, signal);
    if (read.type === "text") return read.text;
    const { note, next } = read;
    const text = `[${note}${next === undefined ? "" : ` For others, read it with pages: "${next}".`}]`;
    return [{ type: "text", text }, ...(await pdfPictures(read, signal))];
  }
  if (kind.type !== "image") return undefined;
  const { image } = await fitImage({ data: Buffer.from(bytes).toString("base64"), mimeType: kind.mimeType }, signal);
  return [{ type: "image", ...image }];
}

function shownPart(part: ToolAnswerPart): ToolCallContent {
  return part.type === "text" ? textContent(part.text) : imageContent(part.data, part.mimeType);
}

function numbered(text: string, first: number): string {
  return splitLines(text)
    .map((line, index) => `${first + index}\t${line}`)
    .join("");
}

function leftOut({ count, isTruncated, longLine }: LimitedLines, first: number): string {
  if (count === 0) return first === 1 ? "[The file is empty.]" : `[The file ends before line ${first}.]`;
  const next = first + count;
  if (longLine !== undefined) {
    return `\n[Line ${first} has ${longLine} characters; what comes after its first ${maxReadCharacters} was left out. The next line is ${next}.]`;
  }
  return isTruncated ? `\n[What comes after line ${next - 1} was left out. Read on with offset ${next}.]` : "";
}
