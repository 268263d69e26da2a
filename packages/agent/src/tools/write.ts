// Implements the `write` tool: it creates or replaces a whole file.
import { adoptLineEndings, changeReport, ToolFailure } from "@signalbox/agent-kit";
import { createToolTitle, findLocations } from "@signalbox/tool-calls";
import { z } from "zod";
import type { TextFile } from "./files/files.ts";
import { fileNames, type OtherNames, wordsForThePerson } from "./other-names.ts";
import { type PreviewContext, tool } from "./tool.ts";

const description = `Creates a file with its folders, or replaces its whole content. To change a part, use edit.`;

const input = z.object({
  path: z.string().min(1).describe("The file to create or replace"),
  content: z.string().describe("Its whole new content"),
});

const otherNames: OtherNames = {
  ...fileNames,
  ...wordsForThePerson,
  contents: "content",
  filetext: "content",
  text: "content",
};

export const writeTool = tool<z.infer<typeof input>>({
  name: "write",
  kind: "edit",
  description,
  input,
  otherNames,
  readOnly: false,
  describe: ({ path }, cwd) => ({
    title: createToolTitle("write", { path }, cwd),
    locations: findLocations({ path }, cwd),
  }),
  async preview({ path, content }, context) {
    context.workspace.files.writablePath(path);
    const before = await replaceable(path, context);
    return changeReport(context.workspace.files.absolute(path), before?.text ?? null, textToWrite(content, before));
  },
  async execute({ path, content }, context) {
    const { files } = context.workspace;
    const before = await replaceable(path, context);
    const text = textToWrite(content, before);
    const after = await files.write(path, text, before, context.signal);
    files.remember(after);
    const report = changeReport(after.path, before?.text ?? null, text);
    const lines = content === "" ? 0 : content.replace(/\n$/, "").split("\n").length;
    const did = before === null ? "Created" : "Replaced";
    return {
      content: [{ type: "text", text: `${did} ${path} (${lines} ${lines === 1 ? "line" : "lines"}).` }],
      display: report.content,
      locations: report.locations,
    };
  },
});

/** Models write \n; a file that has \r\n keeps it. */
function textToWrite(content: string, before: TextFile | null): string {
  return before === null ? content : adoptLineEndings(before.text, content);
}

/** The file that would be replaced; null where there is none. Throws when the model has not read it, or it changed since. */
async function replaceable(path: string, { workspace: { files }, signal }: PreviewContext): Promise<TextFile | null> {
  if (path.endsWith("/")) throw new ToolFailure(`${path} is a folder. Give the path of the file to write.`);
  const facts = await files.facts(path);
  if (facts !== null && facts.type !== "file") throw new ToolFailure(`${path} is not a file, so it cannot be written.`);
  const file = facts === null ? await files.unsaved(path, signal) : await files.text(path, signal);
  if (file === null) return null;
  switch (files.seen(file)) {
    case "as it is":
      return file;
    case "never":
      if (file.text === "") return file;
      throw new ToolFailure(`${path} exists and you have not read it. Read it first, then write it, or use edit.`);
    case "in part":
      throw new ToolFailure(
        `${path} was not replaced: you have read only a part of it. Use edit to change it, or read the rest first.`,
      );
    case "before it changed":
      throw new ToolFailure(`${path} changed since you read it. Read it again, so that the change is not lost.`);
  }
}
