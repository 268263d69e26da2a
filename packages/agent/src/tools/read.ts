// Implements the `read` tool: it returns a file's text, whole or by lines, the text of a PDF or its pages, or an image.
import {
  identifyBytes,
  identifyingBytes,
  maxImageBytes,
  maxPdfBytes,
  maxReadCharacters,
  readPdf,
  ToolFailure,
} from "@signalbox/agent-kit";
import { createToolTitle, findLocations } from "@signalbox/tool-calls";
import { z } from "zod";
import { type Files, maxTextBytes, type TextFile } from "./files/files.ts";
import { noSuchFile } from "./files/no-such-file.ts";
import { type PickedLines, pickLines } from "./files/pick-lines.ts";
import { fileNames, type OtherNames, wordsForThePerson } from "./other-names.ts";
import { pageContent } from "./page-content.ts";
import { failed, type ToolContext, type ToolResult, tool } from "./tool.ts";

const description = `Reads a file and returns its text without line numbers; images as images, PDFs as text. Long files come in parts of 50,000 characters: continue with \`line\` and \`limit\`. A file that you have not read whole cannot be replaced with write.`;

const outputLimit = maxReadCharacters;
/** Leaves room for the mark that tells how to go on. */
const maxCharacters = outputLimit - 100;

const input = z.object({
  path: z.string().min(1).describe("The file"),
  line: z.int().min(1).optional().describe("The first line, from 1"),
  limit: z.int().min(1).optional().describe("How many lines"),
  pages: z.coerce.string().optional().describe('Pages of a PDF as pictures, such as "3-5"'),
});

const otherNames: OtherNames = {
  ...fileNames,
  ...wordsForThePerson,
  // Where lines count from 0, the line before the one that is meant comes too.
  offset: (value) => ({ line: Math.max(1, Number(value)) }),
  startline: "line",
  endline: (value, { start_line, startLine, line }) => ({
    limit: Number(value) - Number(start_line ?? startLine ?? line ?? 1) + 1,
  }),
};

type Input = z.infer<typeof input>;

export const readTool = tool<Input>({
  name: "read",
  kind: "read",
  description,
  input,
  otherNames,
  readOnly: true,
  outputLimit,
  describe: (call, cwd) => ({ title: createToolTitle("read", call, cwd), locations: findLocations(call, cwd) }),
  async execute(call, context) {
    const { files } = context.workspace;
    const facts = await files.facts(call.path);
    if (facts === null) return await readUnsaved(call, context);
    if (facts.type === "directory")
      throw new ToolFailure(`${call.path} is a folder. Use list_directory to see what is in it.`);
    if (facts.type === "other") throw new ToolFailure(`${call.path} is a device, a pipe or a socket, not a file.`);
    const beginning = await files.bytes(call.path, identifyingBytes);
    const kind = identifyBytes(beginning);
    switch (kind.type) {
      case "image":
        return await readImage(call.path, facts.size, kind.mimeType, context);
      case "pdf":
        return await readDocument(call, facts.size, context);
      case "binary":
        return failed(`${call.path} is ${kind.name}, ${facts.size} bytes, not text.`);
      case "text":
        // Of a short file, what was read is all of it.
        return await readText(call, facts.size, context, beginning.length < identifyingBytes ? beginning : undefined);
    }
  },
});

async function readUnsaved(call: Input, { workspace: { files }, signal }: ToolContext): Promise<ToolResult> {
  const file = await files.unsaved(call.path, signal);
  if (file === null) throw await noSuchFile(files, call.path);
  return await wholeText(call, file, files);
}

async function wholeText(call: Input, file: TextFile, files: Files): Promise<ToolResult> {
  const picked = await pickText(file.text, call);
  const { last, total, isWhole } = picked;
  files.remember(file, { first: call.line ?? 1, last, reachesEnd: last === total && isWhole });
  return linesResult(call, picked);
}

async function pickText(text: string, call: Input): Promise<PickedLines> {
  return await pickLines([Buffer.from(text.toWellFormed())], call, { characters: maxCharacters, countsAll: true });
}

async function readImage(
  path: string,
  size: number,
  mimeType: string,
  { workspace }: ToolContext,
): Promise<ToolResult> {
  if (size > maxImageBytes) {
    throw new ToolFailure(
      `${path} is an image (${mimeType}) of ${size} bytes; images over ${maxImageBytes / 1_000_000} MB are not shown.`,
    );
  }
  const bytes = await workspace.files.bytes(path, maxImageBytes);
  return { content: [{ type: "image", data: Buffer.from(bytes).toString("base64"), mimeType }] };
}

async function readDocument(call: Input, size: number, { workspace, signal }: ToolContext): Promise<ToolResult> {
  if (size > maxPdfBytes) {
    throw new ToolFailure(
      `${call.path} is a PDF document of ${size} bytes; those over ${maxPdfBytes / 1_000_000} MB are not read.`,
    );
  }
  const bytes = await workspace.files.bytes(call.path, maxPdfBytes);
  const read = await readPdf(call.path, bytes, call.pages, signal);
  return read.type === "pages"
    ? { content: pageContent(read, (pages) => `For others, read it with pages: "${pages}".`) }
    : linesResult(call, await pickText(read.text, call));
}

async function readText(
  call: Input,
  size: number,
  { workspace: { files }, signal }: ToolContext,
  known: Uint8Array | undefined,
): Promise<ToolResult> {
  return size > maxTextBytes
    ? linesResult(
        call,
        await pickLines(files.stream(call.path, signal), call, { characters: maxCharacters, countsAll: false }),
      )
    : await wholeText(call, await files.text(call.path, signal, known), files);
}

/** Tells the lines that the model got, and how to get the rest; nothing where it got all of them. */
function linesResult({ path, line = 1 }: Input, { text, last, total }: PickedLines): ToolResult {
  if (last < line) {
    const why = line > 1 ? `${path} has no line ${line}: it has ${total}.` : `${path} is empty.`;
    return { content: [{ type: "text", text: why }], ...(line > 1 ? { isError: true } : {}) };
  }
  const shown = { type: "text", text } as const;
  if (last === total) return { content: [shown] };
  const mark = `[lines ${line}–${last}${total === null ? "" : ` of ${total}`}; continue with line: ${last + 1}]`;
  return { content: [shown, { type: "text", text: mark }] };
}
