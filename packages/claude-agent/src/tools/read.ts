// Implements Read: it reads lines of a text file through the client.
import {
  type LimitedLines,
  limitLines,
  linesOf,
  maxReadCharacters,
  maxReadLines,
  ToolFailure,
} from "@signalbox/agent-kit";
import { textContent } from "@signalbox/tool-calls";
import { z } from "zod";
import type { ToolFiles } from "./files.ts";
import type { SeenFiles } from "./seen-files.ts";
import { type ClientTool, defineTool } from "./tool.ts";

const description = `Reads a text file.

- file_path should be an absolute path.
- Up to ${maxReadLines} lines and ${maxReadCharacters} characters are given immediately, from the beginning or from line \`offset\` (counted from 1). Use offset and limit for the rest of a long file.
- Each line comes with its number and a tab before it, which are not part of the file.
- What is given may have changed since you last looked, also without you.
- It reads text, not images, PDF files or folders.`;

export function readTool(files: ToolFiles, seen: SeenFiles): ClientTool {
  return defineTool({
    name: "Read",
    description,
    isReadOnly: true,
    input: {
      file_path: z.string().describe("The absolute path of the file"),
      offset: z.number().int().min(1).optional().describe("The line to begin with, counted from 1"),
      limit: z.number().int().min(1).optional().describe("How many lines to read"),
    },
    async run({ file_path, offset: first = 1, limit = maxReadLines }, { signal, show }) {
      const path = files.absolute(file_path);
      const wanted = Math.min(limit, maxReadLines);
      // One more than is shown tells whether there are more.
      const text = await files.read(path, { line: first, limit: wanted + 1 }, signal);
      if (text === null) throw new ToolFailure(`There is no file ${path}.`);
      const shown = limitLines(text, wanted);
      if (shown.longLine === undefined) seen.noteLines(path, first, shown.text, !shown.isTruncated);
      show({ content: [textContent(shown.text)] });
      return `${numbered(shown.text, first)}${leftOut(shown, first)}`;
    },
  });
}

function numbered(text: string, first: number): string {
  return linesOf(text)
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
